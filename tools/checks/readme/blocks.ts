/** The TypeScript blocks of a Markdown document. */

/** A fenced block with the language `ts`. */
export interface Block {
  /** Line of the first line of code in the Markdown file, counted from 1. */
  readonly line: number
  readonly code: string
}

const FENCE = /^( *)(`{3,})(.*)$/

/** @returns Every block with the language `ts`, except blocks inside of a longer fence. */
export function typescriptBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; language: string; indent: number; line: number; code: string[] } | undefined
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    const [, indent = '', fence = '', info = ''] = FENCE.exec(text) ?? []
    if (open === undefined) {
      if (fence !== '') {
        open = { fence, language: info.trim(), indent: indent.length, line: index + 2, code: [] }
      }
    } else if (fence.length >= open.fence.length && info.trim() === '') {
      if (open.language === 'ts') blocks.push({ line: open.line, code: open.code.join('\n') })
      open = undefined
    } else {
      open.code.push(text.slice(Math.min(open.indent, text.length - text.trimStart().length)))
    }
  }
  return blocks
}
