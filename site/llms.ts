/** Pages for programs: each page as Markdown, llms.txt with a list of them, and llms-full.txt with their text. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DOCS, linkOnSite, sourceOf } from './pages.ts'
import { SIDEBAR } from './sidebar.ts'

/** Limit of llms-full.txt. A token has about 3.8 characters in these pages. */
const MAX_TOKENS = 60_000
const TOKEN_CHARACTERS = 3.8

const START = `# brokerwire

> TypeScript packages for a brokerage's open API: signed HTTP, access tokens, event streams and market data. Never run against the
> live service.
`

const FENCED_OR_LINK = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$|(!?\[[^\]]*\])\(([^)\s]+)\)/gm

/** Returns the Markdown of a page, with links that work on the site. */
function textOf(page: string): string {
  const text = readFileSync(join(DOCS, page), 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->\n*/g, '')
  const source = sourceOf(page)
  return text.replace(FENCED_OR_LINK, (whole, _indent, fence, label: string, href: string) => {
    if (fence !== undefined) return whole
    const url = linkOnSite(source, href)
    return url === undefined ? label.replace(/^!?\[|\]$/g, '') : `${label}(${url})`
  })
}

/** Writes the text pages next to the built pages. */
export function writeTextPages(folder: string, pages: readonly string[]): void {
  for (const page of pages) {
    mkdirSync(dirname(join(folder, page)), { recursive: true })
    writeFileSync(join(folder, page), textOf(page))
  }
  const list: string[] = [START]
  const full: string[] = [START]
  const omitted: string[] = []
  for (const { text: section, items = [] } of SIDEBAR) {
    list.push(`## ${section}\n`)
    for (const { text: title = '', link = '' } of items) {
      const page = `${link.slice(1)}.md`.replace('/.md', '/index.md')
      list.push(`- [${title}](/${page})`)
      if (!pages.includes(page) || section === 'Project') continue
      const text = `\n<!-- /${page} -->\n\n${textOf(page)}`
      const isFull = [...full, text].join('').length / TOKEN_CHARACTERS > MAX_TOKENS - 1000
      ;(isFull ? omitted : full).push(isFull ? `/${page}` : text)
    }
    list.push('')
  }
  if (omitted.length > 0) full.push(`\nOmitted, because of the length: ${omitted.join(', ')}\n`)
  writeFileSync(join(folder, 'llms.txt'), list.join('\n'))
  writeFileSync(join(folder, 'llms-full.txt'), full.join(''))
}
