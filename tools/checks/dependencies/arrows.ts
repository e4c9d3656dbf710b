/** The allowed dependencies between packages. The check forbids all others, in manifests and in imports. */

/** The dependencies that a package may use. */
export interface Arrow {
  /** Packages of the workspace. */
  readonly uses: readonly string[]
  /**
   * Packages from npm, as dependencies or peer dependencies. Each one is maintained by another team, whose
   * releases we must follow.
   */
  readonly outside?: readonly string[]
  /** Packages of the workspace that only its tests use. */
  readonly tests?: readonly string[]
}

const GRPC = ['@bufbuild/protobuf', '@connectrpc/connect']
const NATS = ['@nats-io/jetstream', '@nats-io/nats-core']
const COMMAND_LINE = [
  '@bomb.sh/tab',
  '@clack/prompts',
  'commander',
  'pg',
  'picocolors',
  'prom-client',
  'redis',
]
const TEST_SERVERS = ['@connectrpc/connect-node', 'esbuild', 'mqtt-packet', 'ws']
const SERVERS = ['@hono/node-server', 'hono', 'mqtt-packet', 'vitest', 'ws']

const CLIENT = [
  'core',
  'signer',
  'payloads',
  'orders',
  'tokens',
  'stores',
  'http',
  'quotes',
  'streams',
  'edge',
]
const RELAY = ['core', 'signer', 'payloads', 'tokens', 'stores', 'streams', 'edge']
// `doctor --live` opens single subscriptions, which `client` does not export.
const CLI = [
  'core',
  'signer',
  'protos',
  'payloads',
  'operations',
  'quotes',
  'tokens',
  'stores',
  'streams',
  'client',
  'relay',
  'simulator',
]

export const ARROWS: Readonly<Record<string, Arrow>> = {
  core: { uses: [] },
  // The libraries of gRPC are optional peers: `./connect` and `./grpc` sign the requests of other clients. Their tests call the
  // simulator with the generated code.
  signer: { uses: ['core'], outside: ['@noble/hashes', ...GRPC, '@grpc/grpc-js'], tests: ['protos'] },
  protos: { uses: [], outside: ['@bufbuild/protobuf', 'protobufjs'] },
  payloads: { uses: ['core'] },
  // The tests of this package send each operation to the simulator with the HTTP client and the signer.
  operations: { uses: ['core', 'payloads'], tests: ['http', 'signer'] },
  // The tests of this package place orders at the simulator with the real client, over real stores.
  orders: { uses: ['core', 'payloads', 'operations'], tests: ['http', 'signer', 'stores'] },
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
  // It declares the parts of the reports that it reads, so it installs none of the packages that report. Its tests compare the types.
  otel: {
    uses: [],
    outside: ['@opentelemetry/api'],
    tests: ['core', 'tokens', 'http', 'streams', 'quotes', 'client', 'relay'],
  },
  // A private package: the page that the simulator serves. It is built into the tarball of the simulator.
  console: { uses: ['core', 'signer', 'payloads'], outside: ['@preact/signals', 'preact'] },
  // A private package: servers and helpers for tests.
  testing: { uses: ['core', 'protos', 'signer'], outside: [...GRPC, ...TEST_SERVERS] },
}

/** Packages that the tests of every package may use. Published code may not use them. */
export const TESTS_USE: readonly string[] = ['simulator', 'testing']

/** Export conditions that a bundler for Cloudflare's workerd uses. */
export const EDGE_CONDITIONS: readonly string[] = ['workerd', 'worker', 'browser', 'import', 'default']

/** Entries that run on the edge. They must not import a module of Node, directly or through other files. */
const EDGE: Readonly<Record<string, readonly string[]>> = {
  core: ['.', './endpoints', './internal', './testing'],
  signer: ['.', './fetch', './connect', './grpc', './internal'],
  protos: ['.', './quotes', './protobufjs/trade', './protobufjs/module', './protobufjs/quotes'],
  payloads: ['.', './internal'],
  operations: ['.', './table'],
  orders: ['.', './internal'],
  tokens: ['.', './internal'],
  stores: ['.', './testing', './durable-object', './redis', './postgres', './nats'],
  http: ['.', './internal'],
  quotes: ['.', './internal'],
  edge: ['.', './internal'],
  otel: ['.'],
  relay: ['./webhook'],
}

export const EDGE_ENTRIES = Object.entries(EDGE).flatMap(([short, subpaths]) =>
  subpaths.map((subpath): readonly [short: string, subpath: string] => [short, subpath]),
)
