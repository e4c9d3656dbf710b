/** The gates of `.ci/run`: each is a script of the root manifest, so that it runs alone in the same way. */

/** One gate. */
export interface Gate {
  readonly name: string
  /** A script of the root package.json. */
  readonly script: string
  /** Scripts of gates that must have passed before. */
  readonly after?: readonly string[]
}

// The long ones stand first: two run at a time.
export const GATES: readonly Gate[] = [
  { name: 'build', script: 'build' },
  { name: 'types', script: 'typecheck' },
  { name: 'faults', script: 'test:faults:short' },
  { name: 'quiet streams', script: 'test:quiet:short' },
  { name: 'attacks', script: 'test:attacks:short' },
  { name: 'tests in five orders', script: 'test:repeat:short' },
  { name: 'sizes', script: 'check:sizes', after: ['build'] },
  { name: 'pack', script: 'pack:all', after: ['build'] },
  { name: 'runtimes', script: 'test:runtimes', after: ['pack:all'] },
  { name: 'consumer types', script: 'check:consumer-types', after: ['pack:all'] },
  { name: 'attw', script: 'check:attw', after: ['pack:all'] },
  { name: 'publint', script: 'check:publint', after: ['pack:all'] },
  { name: 'packed files', script: 'check:packed', after: ['pack:all'] },
  { name: 'knip', script: 'knip' },
  { name: 'exported names', script: 'check:exports' },
  { name: 'readme blocks', script: 'check:readme' },
  { name: 'dependency rule', script: 'check:dependencies' },
  { name: 'format and lint', script: 'lint' },
  { name: 'generated code unchanged', script: 'generate:check' },
  { name: 'generated decoders unchanged', script: 'payloads:check' },
  { name: 'documents of the command line unchanged', script: 'cli:documents:check' },
  { name: 'protos lint', script: 'protos:lint' },
  { name: 'protos format', script: 'protos:format' },
  { name: 'protos breaking', script: 'protos:breaking' },
  { name: 'hygiene', script: 'check:hygiene' },
  { name: 'changesets', script: 'changeset:status' },
]
