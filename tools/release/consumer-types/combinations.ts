/**
 * The compilers, libs and entry points of the programs. A consumer chooses the libs: a bare ES2022 must be enough, and no
 * program has `ESNext.Disposable`.
 */

import { publicPackages } from '../../ci/lib/workspace.ts'

/** The types of the host: none, or one of the usual sets. */
export type Host = 'none' | 'dom' | 'node' | 'workers'

/** A compiler, by the name of its dependency in tools/package.json. */
export interface Compiler {
  readonly version: string
  readonly dependency: string
}

export const OLDEST: Compiler = { version: '5.4.5', dependency: 'typescript-5.4' }
export const NEWEST: Compiler = { version: '7.0.2', dependency: 'typescript-7' }
/** Compilers between both, for `--all`. */
export const OTHERS: readonly Compiler[] = [{ version: '6.0.3', dependency: 'typescript' }]

/** An error in the declarations of a peer dependency. Each must still occur: otherwise remove it from the list. */
export interface PeerFailure {
  readonly peer: string
  readonly message: string
  readonly applies: (host: Host, compiler: Compiler) => boolean
}

// The peers' declarations are written for TypeScript 5.7 and newer.
const GENERIC = "Type 'Uint8Array' is not generic."
const isOldest = (_host: Host, compiler: Compiler): boolean => compiler === OLDEST

export const PEER_FAILURES: readonly PeerFailure[] = [
  { peer: '@bufbuild/protobuf', message: GENERIC, applies: isOldest },
  { peer: '@connectrpc/connect', message: GENERIC, applies: isOldest },
  {
    // A type of the DOM library.
    peer: '@connectrpc/connect',
    message: "Cannot find name 'HeadersInit'.",
    applies: (host) => host === 'node',
  },
]

/** Entry points that one program imports together. */
export interface Program {
  readonly name: string
  readonly entries: readonly string[]
  readonly hosts: readonly Host[]
}

// Not compiled: programs, JSON, `relay/nats`, because the declarations of the NATS client have errors, and `core/proxy/internal`, which
// no consumer imports and which returns streams of Node.
const EXCLUDED =
  /^@brokerwire\/(?:cli|simulator)\b|^@brokerwire\/relay\/nats$|^@brokerwire\/core\/proxy\/internal$|\.json$/
/** Entry points that need the types of the DOM or of Node, or whose peer dependencies do. */
const NOT_EVERYWHERE = /^@brokerwire\/(?:client|protos|relay|streams)\b|\/file$/

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

/** The `lib` and `types` of a compiler's options. */
export function hostOptions(host: Host): { readonly lib: string[]; readonly types: string[] } {
  const types = { none: [], dom: [], node: ['node'], workers: ['@cloudflare/workers-types'] }[host]
  return { lib: host === 'dom' ? ['ES2022', 'DOM'] : ['ES2022'], types }
}
