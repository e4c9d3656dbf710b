/** Rewrites commander's messages in the grammar of all other messages. */

const SENTENCES: readonly (readonly [commander: RegExp, here: string])[] = [
  [/^unknown (option|command) '(.*?)'(?:\n\(Did you mean (?:one of )?([^)]*)\?\))?$/s, 'unknown $1 "$2"'],
  [/^missing required argument '(.*)'$/s, '<$1> is missing'],
  [/^option '(\S+)[^']*' argument missing$/s, '$1 must have a value; received none'],
  [
    /^too many arguments(?: for '(.*)')?\. Expected (\d+) arguments? but got (\d+)\.$/s,
    '$1 must have at most $2 argument(s); received $3',
  ],
]

/** Returns the message on one line. The message quotes an argument, which may contain line breaks. */
export function usageMessage(text: string): string {
  const message = text.replace(/^error: /, '')
  for (const [pattern, here] of SENTENCES) {
    const found = pattern.exec(message)
    if (found === null) continue
    const sentence = message.replace(pattern, here)
    const near = pattern.source.includes('Did you mean') ? found[3] : undefined
    return near === undefined ? sentence : `${sentence}. Did you mean "${near.replaceAll(', ', '" or "')}"?`
  }
  return message
}
