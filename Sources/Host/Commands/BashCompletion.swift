import Foundation

/// The parser's completions for bash, with an addition: bash splits words at `:` and `=` before it
/// calls the completion, so names with these characters, and values after `--codec=`, arrive in
/// pieces.
enum BashCompletion {
    /// Returns the script for whole words; nil if it is not a bash script.
    static func whole(_ script: String) -> String? {
        let end = "complete -o filenames -F _cutroom cutroom"
        guard script.hasPrefix("#!/bin/bash"), let range = script.range(of: end) else { return nil }
        return script.replacingCharacters(in: range, with: wholeWords)
    }

    private static let wholeWords = #"""
        # Puts the pieces together again that stand in the line without blanks between them, and takes off what was typed before the
        # last piece from what is offered, as bash replaces that piece only.
        _cutroom_whole_words() {
            local -a pieces=("${COMP_WORDS[@]}") words=("${COMP_WORDS[0]}")
            local rest="${COMP_LINE#*"${COMP_WORDS[0]}"}" before='' piece
            local -i index word=0
            for ((index = 1; index <= COMP_CWORD; index++)); do
                piece="${pieces[${index}]}"
                if [[ "${rest}" == [[:space:]]* || "${index}" -eq 1 ]]; then
                    rest="${rest#"${rest%%[![:space:]]*}"}"
                    word+=1
                    words+=('')
                fi
                [[ "${index}" -eq "${COMP_CWORD}" ]] && before="${words[${word}]}"
                words[${word}]+="${piece}"
                rest="${rest#"${piece}"}"
            done

            # A piece of breaks alone is over; what comes after it is empty.
            local cur="${2}"
            if [[ -n "${piece}" && -z "${piece//[:=]/}" ]]; then
                before="${words[${word}]}"
                cur=''
            fi
            local offered="${before}${cur}" taken="${before//\\/}"
            if [[ "${offered}" == --*=* ]]; then
                words[${word}]="${offered%%=*}"
                offered="${offered#*=}"
                taken="${taken#*=}"
                words+=("${offered}")
                word+=1
            fi

            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="${word}"
            _cutroom "${1}" "${offered}" "${words[word - 1]}"
            [[ -z "${taken}" ]] || COMPREPLY=("${COMPREPLY[@]#"${taken}"}")
        }

        complete -o filenames -F _cutroom_whole_words cutroom
        """#
}
