/** The sidebar of the site. */
import type { DefaultTheme } from 'vitepress'
import { PACKAGES } from './pages.ts'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link })

/** The pages by kind, in the order in which a reader needs them. The API reference has its own sidebar. */
export const SIDEBAR: DefaultTheme.SidebarItem[] = [
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
      page('Run and operate', '/guides/running'),
      page('A backend for browser pages', '/guides/browsers'),
      page('Your own gRPC client', '/guides/other-clients'),
      page('Your own HTTP client', '/guides/other-clients-http'),
      page('Other languages', '/guides/other-languages'),
      page('Behind a proxy', '/guides/proxies'),
      page('Tokens in Redis', '/guides/stores-redis'),
      page('Tokens in Postgres', '/guides/stores-postgres'),
      page('Tokens in NATS', '/guides/stores-nats'),
      page('Watch a relay', '/guides/observability'),
      page('Read the stream of a relay', '/guides/relay-consumers'),
      page('Events as webhooks', '/guides/relay-webhooks'),
      page('Many consumers of a relay', '/guides/relay-scale'),
      page('Events in Postgres', '/guides/relay-postgres'),
      page('Events in Redis Streams', '/guides/relay-redis'),
      page('Write a sink', '/guides/write-a-sink'),
      page('Orders in the simulator', '/packages/simulator/trading'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors', '/reference/errors'),
      page('API', '/reference/api/'),
      page('Command line', '/packages/cli/commands'),
      page('Payloads', '/packages/payloads/payloads'),
      page('Operations', '/packages/operations/operations'),
      page('Metrics and log lines', '/reference/metrics'),
      page('Signature vectors', '/packages/signer/vectors'),
      page('Stability', '/stability'),
      page('Stored formats', '/reference/stored-formats'),
      page('Rules of the transport', '/packages/streams/transport-rules'),
    ],
  },
  { text: 'Tools', items: [page('Workbench', '/workbench')] },
  { text: 'Packages', items: PACKAGES.map((name) => page(name, `/packages/${name}`)) },
  {
    text: 'Project',
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
