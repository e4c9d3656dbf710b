import { type DefaultTheme, defineConfig } from 'vitepress'
import { deadLinks, resolveLinks } from '../links.ts'
import { PACKAGES } from '../pages.ts'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link })

const SIDEBAR: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [page('Which package do I need?', '/packages/')],
  },
  {
    text: 'Concepts',
    items: [
      page('How it fits together', '/project/architecture'),
      page('What a signature protects', '/packages/signer/threats'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Run and operate', '/running'),
      page('A backend for browser pages', '/browsers'),
      page('Behind a proxy', '/proxies'),
      page('Tokens in Redis', '/stores-redis'),
      page('Tokens in Postgres', '/stores-postgres'),
      page('Tokens in NATS', '/stores-nats'),
      page('Watch a relay', '/observability'),
      page('Read the stream of a relay', '/relay-consumers'),
      page('Events as webhooks', '/relay-webhooks'),
      page('Many consumers of a relay', '/relay-scale'),
      page('Events in Postgres', '/relay-postgres'),
      page('Events in Redis Streams', '/relay-redis'),
      page('Orders in the simulator', '/packages/simulator/trading'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors', '/reference/errors'),
      page('Command line', '/packages/cli/commands'),
      page('Payloads', '/packages/payloads/payloads'),
      page('Operations', '/packages/operations/operations'),
      page('Metrics and log lines', '/metrics'),
      page('Signature vectors', '/packages/signer/vectors'),
      page('Stability', '/stability'),
      page('Stored formats', '/stored-formats'),
      page('Rules of the transport', '/packages/streams/transport-rules'),
    ],
  },
  { text: 'Packages', collapsed: true, items: PACKAGES.map((name) => page(name, `/packages/${name}`)) },
  {
    text: 'Project',
    collapsed: true,
    items: [
      page('Facts', '/facts'),
      page('Open points', '/open-points'),
      page('Specification', '/specification'),
      page('Security', '/project/security'),
      page('Contributing', '/project/contributing'),
      page('Style', '/project/style'),
      page('Releases', '/releasing'),
    ],
  },
]

export default defineConfig({
  title: 'brokerwire',
  description:
    'Signed HTTP, access tokens, event streams and market data of a brokerage open API, in TypeScript.',
  lang: 'en',
  srcDir: '../docs',
  srcExclude: ['README.md'],
  cleanUrls: true,
  metaChunk: true,
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
  buildEnd: ({ outDir }) => {
    const problems = deadLinks(outDir)
    if (problems.length > 0) throw new Error(`dead links:\n${problems.join('\n')}`)
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Packages', link: '/packages/' },
      { text: 'Errors', link: '/reference/errors' },
      { text: 'Command line', link: '/packages/cli/commands' },
    ],
    sidebar: SIDEBAR,
    footer: { message: 'Independent of the operator of the service. Never run against the live service.' },
  },
})
