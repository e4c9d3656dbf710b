/** Where a text is no JSON object, and why: the host's parser does not always say it, and quotes what it reads. */
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** For the parser: nothing but JSON. */
export const STRICT_JSON = { disallowComments: true, allowTrailingComma: false } as const

/** The first problem of a text that is no JSON object. */
export function jsonProblem(text: string): { readonly offset: number; readonly expected: string } {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, STRICT_JSON)
  const [first] = errors
  if (first !== undefined) return { offset: first.offset, expected: `JSON (${parseErrorText(first)})` }
  return { offset: root?.offset ?? 0, expected: 'a JSON object' }
}

/** `InvalidSymbol` as words. */
export function parseErrorText({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .toLowerCase()
}
