/** Links between the documents and into the repository: each leads to a file, and to a heading where it names one. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { Document } from './compile.ts'

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g
const FENCED = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$/gm

/** @returns `file: link: problem`, for each relative link that leads nowhere. */
export function linkProblems(documents: readonly Document[]): string[] {
  return documents.flatMap(({ file, text }) =>
    [...text.replace(FENCED, '').matchAll(LINK)].flatMap(([, link = '']) => {
      const problem = /^[a-z]+:/.test(link) ? undefined : problemOf(file, text, link)
      return problem === undefined ? [] : [`${file}: ${link}: ${problem}`]
    }),
  )
}

function problemOf(file: string, text: string, link: string): string | undefined {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? file : normalize(join(dirname(file), path))
  if (path !== '' && !existsSync(join(ROOT, target))) return 'no such file'
  if (heading === undefined || !target.endsWith('.md')) return undefined
  const there = path === '' ? text : readFileSync(join(ROOT, target), 'utf8')
  return headings(there).includes(heading) ? undefined : 'no such heading'
}

/** The anchors that hosts of Markdown give to headings. */
function headings(text: string): string[] {
  return [...text.replace(FENCED, '').matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}
