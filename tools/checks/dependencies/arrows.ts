/** Who may import whom. Everything that is not listed is forbidden, in manifests and in imports alike. */

/** What a package may use. */
export interface Arrow {
  /** Packages of the toolkit. */
  readonly uses: readonly string[]
  /** Published packages from outside, as dependencies or peers: each one is somebody else's release to follow. */
  readonly outside?: readonly string[]
}

const PROTOBUF = '@bufbuild/protobuf'
const CONNECT = '@connectrpc/connect'

export const ARROWS: Readonly<Record<string, Arrow>> = {
  core: { uses: [] },
  signer: { uses: ['core'], outside: ['@noble/hashes'] },
  protos: { uses: [], outside: [PROTOBUF] },
  payloads: { uses: ['core'] },
  tokens: { uses: ['core'] },
  stores: { uses: ['core'] },
  http: { uses: ['core', 'signer'] },
  streams: {
    uses: ['core', 'signer', 'protos', 'payloads'],
    outside: [PROTOBUF, CONNECT],
  },
  quotes: { uses: ['core', 'signer', 'protos', 'http'] },
  edge: { uses: ['core', 'signer', 'tokens', 'stores', 'http'] },
  client: {
    uses: ['core', 'signer', 'payloads', 'tokens', 'stores', 'http', 'quotes', 'streams', 'edge'],
    outside: [PROTOBUF, CONNECT],
  },
  relay: {
    uses: ['core', 'signer', 'payloads', 'tokens', 'stores', 'streams', 'edge'],
    outside: [PROTOBUF, CONNECT, '@nats-io/jetstream', '@nats-io/nats-core'],
  },
  simulator: {
    uses: ['core', 'signer', 'protos'],
    outside: [
      PROTOBUF,
      CONNECT,
      '@connectrpc/connect-node',
      '@hono/node-server',
      'hono',
      'mqtt-packet',
      'vitest',
      'ws',
    ],
  },
  // The page that the simulator serves: private, built into the simulator's tarball.
  console: {
    uses: ['core', 'signer', 'payloads'],
    outside: ['@preact/signals', 'preact'],
  },
  cli: {
    uses: ['core', 'signer', 'payloads', 'quotes', 'tokens', 'stores', 'client', 'relay', 'simulator'],
    outside: [
      PROTOBUF,
      CONNECT,
      '@bomb.sh/tab',
      '@clack/prompts',
      'commander',
      'jsonc-parser',
      'picocolors',
      '@nats-io/jetstream',
      '@nats-io/kv',
      '@nats-io/nats-core',
      '@nats-io/transport-node',
    ],
  },
}

/** Packages whose tests may start the simulator. Anywhere below them it would close a cycle of builds. */
export const SIMULATOR_IN_TESTS: readonly string[] = ['client', 'streams', 'quotes', 'relay', 'cli']

/** Conditions under which a bundler for Cloudflare's workerd resolves packages. */
export const EDGE_CONDITIONS: readonly string[] = ['workerd', 'worker', 'browser', 'import', 'default']

/** Entry points that run on the edge: nothing that they reach may be a module of Node. By package and subpath. */
export const EDGE_ENTRIES: readonly (readonly [short: string, subpath: string])[] = [
  ['core', '.'],
  ['core', './endpoints'],
  ['core', './testing'],
  ['signer', '.'],
  ['protos', '.'],
  ['protos', './quotes'],
  ['payloads', '.'],
  ['tokens', '.'],
  ['stores', '.'],
  ['stores', './contract'],
  ['stores', './durable-object'],
  ['stores', './redis'],
  ['stores', './postgres'],
  ['stores', './nats'],
  ['http', '.'],
  ['quotes', '.'],
  ['edge', '.'],
  ['edge', './compose'],
]
