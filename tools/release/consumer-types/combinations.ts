/**
 * The compilers, libs and entry points of the programs. A consumer chooses the libs. Therefore the types must
 * compile with only ES2022, and no program has `ESNext.Disposable`.
 */

import { publicPackages } from '../../ci/lib/workspace.ts'

/** The types of the host: none, or a common set. */
export type Host = 'none' | 'dom' | 'node' | 'workers'

/** A compiler, with its dependency in tools/package.json. */
export interface Compiler {
  readonly version: string
  readonly dependency: string
}

/** The oldest supported version. Older ones have no `NoInfer`, which declarations use. docs/guides/running.md states it. */
export const OLDEST: Compiler = { version: '5.4.5', dependency: 'typescript-5.4' }
export const NEWEST: Compiler = { version: '7.0.2', dependency: 'typescript-7' }
/** Compilers between the oldest and the newest one, for `--all`. */
export const OTHERS: readonly Compiler[] = [{ version: '6.0.3', dependency: 'typescript' }]

/**
 * An expected error in the declarations of a peer dependency. The error must still occur. If it does not,
 * remove it from the list.
 */
export interface PeerFailure {
  readonly peer: string
  readonly message: string
  readonly applies: (host: Host, compiler: Compiler) => boolean
}

// The declarations of these peer dependencies need TypeScript 5.7 or newer.
const GENERIC = "Type 'Uint8Array' is not generic."
const isOldest = (_host: Host, compiler: Compiler): boolean => compiler === OLDEST

export const PEER_FAILURES: readonly PeerFailure[] = [
  { peer: '@bufbuild/protobuf', message: GENERIC, applies: isOldest },
  { peer: '@connectrpc/connect', message: GENERIC, applies: isOldest },
  {
    // `@connectrpc/connect` uses a type of the DOM library.
    peer: '@connectrpc/connect',
    message: "Cannot find name 'HeadersInit'.",
    applies: (host) => host === 'node',
  },
  {
    // `@opentelemetry/api` uses the global `console`.
    peer: '@opentelemetry/api',
    message: "Cannot find name 'console'.",
    applies: (host) => host === 'none',
  },
]

/** Entry points that one program imports. */
export interface Program {
  readonly name: string
  readonly entries: readonly string[]
  readonly hosts: readonly Host[]
}

// Entry points that are not compiled: programs; JSON; `relay/nats`, because the declarations of the NATS
// client have errors; and `core/proxy/internal`, which consumers do not import and which returns streams of
// Node.
const EXCLUDED =
  /^@brokerwire\/(?:cli|simulator)\b|^@brokerwire\/relay\/nats$|^@brokerwire\/core\/proxy\/internal$|\.json$/
/** Entry points that need the types of the DOM or of Node, or whose peer dependencies need them. */
const NOT_EVERYWHERE = /^@brokerwire\/(?:client|protos|relay|streams|signer\/connect)\b|\/file$/

const entries = publicPackages()
  .flatMap(({ manifest: { name, exports = {} } }) => Object.keys(exports).map((path) => name + path.slice(1)))
  .filter((entry) => !EXCLUDED.test(entry))

export const PROGRAMS: readonly Program[] = [
  {
    name: 'everywhere',
    entries: entries.filter((entry) => !NOT_EVERYWHERE.test(entry)),
    hosts: ['none', 'dom', 'node', 'workers'],
  },
  { name: 'node', entries: entries.filter((entry) => NOT_EVERYWHERE.test(entry)), hosts: ['dom', 'node'] },
]

/** The compiler options `lib` and `types` for a host. */
export function hostOptions(host: Host): { readonly lib: string[]; readonly types: string[] } {
  const types = { none: [], dom: [], node: ['node'], workers: ['@cloudflare/workers-types'] }[host]
  return { lib: host === 'dom' ? ['ES2022', 'DOM'] : ['ES2022'], types }
}
