/**
 * Under which compilers and libs a consumer's program must compile against the published types.
 *
 * A lib that a consumer did not choose is theirs to add, not ours to demand: hence the bare ES2022, and no
 * `ESNext.Disposable` anywhere.
 */

/** What describes the host: nothing, or one of the usual sets of types. */
export type Host = 'none' | 'dom' | 'node' | 'workers'

/** A compiler, by the name of its dependency in this package. */
export interface Compiler {
  readonly version: string
  readonly dependency: string
}

export const COMPILERS: readonly Compiler[] = [
  { version: '5.4.5', dependency: 'typescript-5.4' },
  { version: '6.0.3', dependency: 'typescript' },
  { version: '7.0.2', dependency: 'typescript-7' },
]

/** Errors in a peer's own declarations, which nobody here can mend. Each must still occur, or it goes from the list. */
export interface PeerFailure {
  readonly peer: string
  readonly message: string
  readonly why: string
  readonly applies: (host: Host, compiler: Compiler) => boolean
}

const GENERIC = "Type 'Uint8Array' is not generic."
const GENERIC_WHY = 'its declarations are written for TypeScript 5.7 and newer'
const before57 = (_host: Host, { version }: Compiler): boolean => version.startsWith('5.4')

export const PEER_FAILURES: readonly PeerFailure[] = [
  { peer: '@bufbuild/protobuf', message: GENERIC, why: GENERIC_WHY, applies: before57 },
  { peer: '@connectrpc/connect', message: GENERIC, why: GENERIC_WHY, applies: before57 },
  {
    peer: '@connectrpc/connect',
    message: "Cannot find name 'HeadersInit'.",
    why: 'it names a type of the DOM library',
    applies: (host) => host === 'node',
  },
]

/** Entry points that one program imports together. */
export interface Program {
  readonly name: string
  readonly entries: readonly string[]
  readonly hosts: readonly Host[]
}

export const PROGRAMS: readonly Program[] = [
  {
    name: 'everywhere',
    entries: [
      '@brokerwire/core',
      '@brokerwire/core/endpoints',
      '@brokerwire/core/testing',
      '@brokerwire/signer',
      '@brokerwire/signer/sync',
      '@brokerwire/payloads',
      '@brokerwire/tokens',
      '@brokerwire/stores',
      '@brokerwire/stores/contract',
      '@brokerwire/stores/durable-object',
      '@brokerwire/http',
      '@brokerwire/http/diagnostics',
      '@brokerwire/edge',
      '@brokerwire/edge/compose',
      '@brokerwire/edge/kept-token',
    ],
    hosts: ['none', 'dom', 'node', 'workers'],
  },
  {
    name: 'node',
    entries: [
      '@brokerwire/stores/file',
      '@brokerwire/protos',
      '@brokerwire/streams',
      '@brokerwire/streams/diagnostics',
      '@brokerwire/streams/transport',
      '@brokerwire/client',
      '@brokerwire/relay',
    ],
    hosts: ['dom', 'node'],
  },
]

/** The `lib` and `types` of a compiler's options. */
export function hostOptions(host: Host): {
  readonly lib: readonly string[]
  readonly types: readonly string[]
} {
  const lib = host === 'dom' ? ['ES2022', 'DOM'] : ['ES2022']
  const types = { none: [], dom: [], node: ['node'], workers: ['@cloudflare/workers-types'] }[host]
  return { lib, types }
}
