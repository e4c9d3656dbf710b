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

/** Entry points that one program imports together. */
export interface Program {
  readonly name: string
  readonly entries: readonly string[]
  readonly hosts: readonly Host[]
  /** File names of a peer whose own types do not compile there: `skipLibCheck` would hide ours as well. */
  readonly toleratedFiles?: readonly string[]
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
      '@brokerwire/client/edge',
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
