"""From a submitted text to bytecode: compiled inside the sandbox, validated outside."""
