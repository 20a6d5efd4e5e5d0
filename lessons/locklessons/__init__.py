"""locklessons: the course text, its plots, and its conversion to notebooks.

- ``figures``: plots with alternative text and their numbers; plots with sliders.
- ``notebooks``: the lessons that there are; from MyST Markdown to .ipynb, and run.
- ``cli``: ``locklab lesson``.
"""
