/**
 * The gates of `.ci/run`, one row after the other; those of a row run side by side. Each is a script of the root
 * manifest, so that it runs alone in the same way. What needs the build stands below it, what reads tarballs below
 * `pack:all`; one that waits for time to pass stands beside one that works.
 */
export const GATES: readonly (readonly string[])[] = [
  ['build', 'check:hygiene', 'check:twins'],
  ['pack:all', 'typecheck'],
  ['test:faults:short', 'test:stores:short', 'check:sizes'],
  ['test:quiet:short', 'test:attacks:short'],
  ['test:repeat:short', 'knip'],
  ['test:runtimes', 'test:state:short', 'lint'],
  ['check:consumer-types', 'api:report'],
  ['check:attw', 'check:publint', 'check:packed'],
  ['check:readme', 'check:dependencies', 'check:lines'],
  ['generate:check', 'payloads:check', 'cli:documents:check'],
  ['protos:lint', 'protos:format', 'protos:breaking', 'changeset:status'],
]
