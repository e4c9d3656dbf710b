/**
 * The gates of `.ci/run`, one row after the other; those of a row run side by side. Each is a script of the root
 * manifest, so that it runs alone in the same way. What needs the build stands below it, what reads tarballs below
 * `pack:all`; one that waits for time to pass stands beside one that works.
 */
export const GATES: readonly (readonly string[])[] = [
  ['build', 'check:hygiene', 'check:twins', 'check:workflows'],
  ['pack:all', 'typecheck'],
  ['test:faults:short', 'test:stores:short', 'check:sizes'],
  ['test:quiet:short', 'test:attacks:short', 'test:journey'],
  ['test:repeat:short', 'knip'],
  ['test:relay:short'],
  ['test:runtimes', 'test:state:short', 'lint'],
  ['check:consumer-types', 'api:report'],
  ['release:consumers'],
  ['check:attw', 'check:publint', 'check:packed'],
  ['check:readme', 'check:dependencies', 'check:lines'],
  ['generate:check', 'payloads:check', 'cli:documents:check'],
  ['protos:lint', 'protos:format', 'protos:breaking', 'changeset:status'],
]

/**
 * What `.ci/run SCRIPT...` runs instead: scripts of the root that are too long for every change, one after the other.
 *
 * @throws An error that names what is no script.
 */
export function chosenRows(
  names: readonly string[],
  scripts: Readonly<Record<string, string>>,
): readonly (readonly string[])[] {
  const unknown = names.filter((name) => !Object.hasOwn(scripts, name))
  if (unknown.length > 0) throw new Error(`.ci/run: not a script of package.json: ${unknown.join(', ')}`)
  return names.map((name) => [name])
}
