/** The name of the configuration file in commands. Libraries do not know it, and write `--config FILE`. */

const PLACEHOLDER = /--config FILE\b/g
const PLAIN_WORD = /^[\w./@%+=:,-]+$/

/** Replaces `FILE` after `--config` by the file's name, quoted for a shell if necessary. */
export function nameConfigFile(text: string, file: string | undefined): string {
  if (file === undefined) return text
  const word = PLAIN_WORD.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`
  return text.replace(PLACEHOLDER, () => `--config ${word}`)
}
