"""The scripts that bash, zsh and fish load to complete `vfcc`, as templates in typer's form.

None evaluates what the program prints: titles come from the repository, which may be a stranger's. The first line that
the program prints is `values` or `files`; with `files` the shell completes file names.
"""

BASH = """
%(complete_func)s() {
    local line IFS=$'\\n'
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(env _VFCC_LINE="${COMP_WORDS[*]:0:$((COMP_CWORD + 1))}" _VFCC_COMP_TYPE="$COMP_TYPE" \\
        %(autocomplete_var)s=list_bash "$1" 2>/dev/null)
    if [ "${COMPREPLY[0]}" = values ]; then
        compopt +o default 2>/dev/null
    fi
    COMPREPLY=("${COMPREPLY[@]:1}")
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""

ZSH = """
#compdef %(prog_name)s

%(complete_func)s() {
    local kind
    local -a lines
    lines=("${(@f)$(env _VFCC_LINE="${(pj:\\n:)words[1,$CURRENT]}" %(autocomplete_var)s=list_zsh \\
        %(prog_name)s 2>/dev/null)}")
    kind=$lines[1]
    shift lines
    if (( $#lines )); then
        _describe '%(prog_name)s' lines -M 'm:{a-zA-Z}={A-Za-z}'
    elif [[ $kind == files ]]; then
        _files
    fi
}

if [[ $funcstack[1] == _%(prog_name)s ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = """
function %(complete_func)s
    set -l lines (env _VFCC_LINE=(commandline -cp | string collect) %(autocomplete_var)s=list_fish \\
        %(prog_name)s 2>/dev/null)
    if test (count $lines) -gt 1
        string join \\n -- $lines[2..-1]
    else if test "$lines[1]" = files
        __fish_complete_path (commandline -ct)
    end
end

complete --command %(prog_name)s --no-files --arguments '(%(complete_func)s)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def script(shell: str) -> str:
    """Return the script of a shell, for `vfcc`."""
    names = {"complete_func": "_vfcc_completion", "prog_name": "vfcc", "autocomplete_var": "_VFCC_COMPLETE"}
    return (SCRIPTS[shell] % names).strip() + "\n"
