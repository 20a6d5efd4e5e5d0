# LockLab from this checkout for a user who is not root, with the C modules and the sandbox.
#
#   docker build -t locklab .
#   docker run --rm -it --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
#       --security-opt systempaths=unconfined -v "$PWD":/home/student/work locklab
#
# docs/start/install.md says what the options are for, and what works without them.
FROM debian:12-slim

RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        bubblewrap ca-certificates gcc git libc6-dev liburcu-dev libseccomp2 make pkg-config \
        python3 python3-dev python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --shell /bin/bash student

COPY --chown=student:student . /home/student/locklab
USER student
WORKDIR /home/student/locklab
# What a person runs, without what developers need.
RUN LOCKLAB_REQUIREMENTS="build base notebook" make setup \
    && rm -rf /home/student/.cache \
    && mkdir /home/student/work

ENV PATH="/home/student/locklab/.venv/bin:$PATH"
WORKDIR /home/student/work
CMD ["/bin/bash"]
