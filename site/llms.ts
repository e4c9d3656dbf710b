/** Pages for programs: each page as Markdown, llms.txt with a list of them, and llms-full.txt with their text. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { DOCS, linkOnSite, sourceOf } from './pages.ts'
import { SIDEBAR } from './sidebar.ts'

/** Limit of llms-full.txt. A token has about 3.8 characters in these pages. */
const MAX_TOKENS = 60_000
const TOKEN_CHARACTERS = 3.8
/** The length of the list of omitted pages, in tokens. */
const LIST_TOKENS = 1000

/** The sections that llms-full.txt begins with. The others follow in the order of the sidebar. */
const FIRST = ['Start', 'Concepts', 'Operate']
/** The sections for contributors. */
const OMITTED = 'Project'

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
  const pageOf = (link: string): string => `${link.slice(1)}.md`.replace('/.md', '/index.md')
  const list: string[] = [START]
  for (const { text: section, items = [] } of SIDEBAR) {
    const lines = items.map(({ text = '', link = '' }) => `- [${text}](/${pageOf(link)})`)
    list.push(`## ${section}\n`, ...lines, '')
  }
  const isFirst = ({ text = '' }: DefaultTheme.SidebarItem): boolean => FIRST.includes(text)
  const sections = [...SIDEBAR.filter(isFirst), ...SIDEBAR.filter((section) => !isFirst(section))]
  const links = sections
    .filter(({ text }) => text !== OMITTED)
    .flatMap(({ items = [] }) => items.map(({ link = '' }) => pageOf(link)))
  let characters = START.length
  const full: string[] = [START]
  const omitted: string[] = []
  for (const page of links.filter((link) => pages.includes(link))) {
    const text = `\n<!-- /${page} -->\n\n${textOf(page)}`
    const isFull = (characters + text.length) / TOKEN_CHARACTERS > MAX_TOKENS - LIST_TOKENS
    if (isFull) omitted.push(`/${page}`)
    else {
      full.push(text)
      characters += text.length
    }
  }
  if (omitted.length > 0) full.push(`\nOmitted, because of the length: ${omitted.join(', ')}\n`)
  writeFileSync(join(folder, 'llms.txt'), list.join('\n'))
  writeFileSync(join(folder, 'llms-full.txt'), full.join(''))
}
