import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { deadLinks, resolveLinks } from '../links.ts'
import { writeTextPages } from '../llms.ts'
import { API_SIDEBAR } from '../pages.ts'
import { SIDEBAR } from '../sidebar.ts'

/**
 * Nothing that a reader types into the workbench can be sent to another host. VitePress has inline scripts and styles, and
 * stores `boostDocument` as a string.
 */
const POLICY = [
  "default-src 'self'",
  "connect-src 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "form-action 'none'",
].join('; ')

/** Error codes come first in a search, then pages that explain. Lists of names are last, unless a heading is the name. */
function boostDocument(id: string, term: string): number {
  if (id.includes('/reference/errors')) return 3
  if (/\/(?:concepts|guides|troubleshooting)\b/.test(id)) return 2
  if (id.includes('/reference/api/')) return id.endsWith(`#${term}`) ? 1 : 0.3
  if (/\/(?:project|facts|specification|open-points|releasing|stability|reference\/options)\b/.test(id))
    return 0.5
  return /\/packages\/[^/]+\//.test(id) ? 0.7 : 1
}

/** Words of the pages for words that readers search for. VitePress stores it as a string too. */
function processTerm(term: string): string | string[] {
  const word = term.toLowerCase()
  return /^(?:refused?|denied|invalid)$/.test(word) ? [word, 'rejected'] : word
}

export default defineConfig({
  title: 'brokerwire',
  description:
    'Signed HTTP, access tokens, event streams and market data of a brokerage open API, in TypeScript.',
  lang: 'en',
  head: [['meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }]],
  srcDir: '../docs',
  srcExclude: ['README.md'],
  cleanUrls: true,
  // Addresses in examples of commands.
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  // The workbench sends nothing, and a prefetch would look as if it did.
  router: { prefetchLinks: false },
  // Components of the workbench import sources of packages, which need no build.
  vite: {
    resolve: { conditions: ['@brokerwire/source', 'browser', 'module', 'import', 'default'] },
    ssr: { resolve: { conditions: ['@brokerwire/source', 'browser', 'module', 'import', 'default'] } },
    build: { chunkSizeWarningLimit: 2000 },
  },
  markdown: {
    // The anchors of the repository's host, so that a link works in both.
    anchor: {
      slugify: (text: string) =>
        text
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: resolveLinks,
  },
  buildEnd: ({ outDir, pages }) => {
    const problems = deadLinks(outDir)
    writeTextPages(outDir, pages)
    if (problems.length > 0) throw new Error(`dead links:\n${problems.join('\n')}`)
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument, processTerm } } },
    },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/first-event' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Errors', link: '/reference/errors' },
      { text: 'API', link: '/reference/api/' },
      { text: 'Workbench', link: '/workbench' },
    ],
    sidebar: {
      '/': SIDEBAR,
      '/reference/api/': [
        { text: 'API', link: '/reference/api/', items: JSON.parse(readFileSync(API_SIDEBAR, 'utf8')) },
      ],
    },
    footer: { message: 'Independent of the operator of the service. Never run against the live service.' },
  },
})
