/** The table of dependencies between packages. All others are forbidden, in manifests and in imports. */

/** The dependencies that a package may use. */
export interface Arrow {
  /** Packages of the workspace. */
  readonly uses: readonly string[]
  /** Packages from outside, as dependencies or peers: each one is another team's release to follow. */
  readonly outside?: readonly string[]
  /** Packages of the workspace that only its tests use. */
  readonly tests?: readonly string[]
}

const GRPC = ['@bufbuild/protobuf', '@connectrpc/connect']
const NATS = ['@nats-io/jetstream', '@nats-io/nats-core']
const COMMAND_LINE = ['@bomb.sh/tab', '@clack/prompts', 'commander', 'picocolors']
const TEST_SERVERS = ['@connectrpc/connect-node', 'esbuild', 'mqtt-packet', 'ws']
const SERVERS = ['@connectrpc/connect-node', '@hono/node-server', 'hono', 'mqtt-packet', 'vitest', 'ws']

const CLIENT = ['core', 'signer', 'payloads', 'tokens', 'stores', 'http', 'quotes', 'streams', 'edge']
const RELAY = ['core', 'signer', 'payloads', 'tokens', 'stores', 'streams', 'edge']
const CLI = ['core', 'signer', 'payloads', 'quotes', 'tokens', 'stores', 'client', 'relay', 'simulator']

export const ARROWS: Readonly<Record<string, Arrow>> = {
  core: { uses: [] },
  signer: { uses: ['core'], outside: ['@noble/hashes'] },
  protos: { uses: [], outside: ['@bufbuild/protobuf'] },
  payloads: { uses: ['core'] },
  // Its tests send each operation to the simulator with the real client.
  operations: { uses: ['core', 'payloads'], tests: ['http', 'signer'] },
  tokens: { uses: ['core'] },
  stores: { uses: ['core'] },
  http: { uses: ['core', 'signer'] },
  streams: { uses: ['core', 'signer', 'protos', 'payloads'], outside: GRPC },
  quotes: { uses: ['core', 'signer', 'protos', 'http'] },
  edge: { uses: ['core', 'signer', 'tokens', 'stores', 'http'] },
  client: { uses: CLIENT, outside: GRPC },
  relay: { uses: RELAY, outside: [...GRPC, ...NATS] },
  simulator: { uses: ['core', 'signer', 'protos'], outside: [...GRPC, ...SERVERS] },
  cli: { uses: CLI, outside: [...GRPC, ...NATS, '@nats-io/kv', '@nats-io/transport-node', ...COMMAND_LINE] },
  // Private: the page that the simulator serves is built into the simulator's tarball.
  console: { uses: ['core', 'signer', 'payloads'], outside: ['@preact/signals', 'preact'] },
  // Private: servers and helpers for tests.
  testing: { uses: ['core', 'protos', 'signer'], outside: [...GRPC, ...TEST_SERVERS] },
}

/** Packages that the tests of every package may also use. Published code may not. */
export const TESTS_USE: readonly string[] = ['simulator', 'testing']

/** Conditions under which a bundler for Cloudflare's workerd resolves packages. */
export const EDGE_CONDITIONS: readonly string[] = ['workerd', 'worker', 'browser', 'import', 'default']

/** Entries that run on the edge: they reach no module of Node. */
const EDGE: Readonly<Record<string, readonly string[]>> = {
  core: ['.', './endpoints', './internal', './testing'],
  signer: ['.', './internal'],
  protos: ['.', './quotes'],
  payloads: ['.', './internal'],
  operations: ['.', './table'],
  tokens: ['.', './internal'],
  stores: ['.', './testing', './durable-object', './redis', './postgres', './nats'],
  http: ['.', './internal'],
  quotes: ['.', './internal'],
  edge: ['.', './internal'],
}

export const EDGE_ENTRIES = Object.entries(EDGE).flatMap(([short, subpaths]) =>
  subpaths.map((subpath): readonly [short: string, subpath: string] => [short, subpath]),
)
