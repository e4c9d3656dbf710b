/** The dependency rule, held against manifests. */
import { type Manifest, SCOPE } from '../../ci/lib/workspace.ts'
import { ARROWS, SIMULATOR_IN_TESTS } from './arrows.ts'

/** A pin would keep a fix of theirs from users until a release of ours. */
const RANGE = /^(\^|workspace:\^|catalog:published$)/

/** @returns What is wrong, one a line. */
export function manifestProblems(short: string, manifest: Manifest): string[] {
  const arrow = ARROWS[short]
  const at = `${manifest.name}: package.json`
  if (arrow === undefined) return [`${at}: the package has no row in tools/checks/dependencies/arrows.ts`]
  const published = Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  })
  const ownAllowed = (name: string): boolean => arrow.uses.includes(name.slice(SCOPE.length))
  const problems = published
    .filter((name) => (name.startsWith(SCOPE) ? !ownAllowed(name) : !arrow.outside?.includes(name)))
    .map((name) => `${at}: no arrow allows the dependency ${name}`)
  for (const [name, version] of Object.entries({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
  })) {
    // What is built into another package is nobody's dependency.
    if (!RANGE.test(version) && manifest.private !== true)
      problems.push(`${at}: the dependency ${name} must be a range, as "catalog:published"`)
  }
  const inTests = (name: string): boolean =>
    name === `${SCOPE}simulator` && SIMULATOR_IN_TESTS.includes(short)
  for (const name of Object.keys(manifest.devDependencies ?? {})) {
    if (name.startsWith(SCOPE) && !ownAllowed(name) && !inTests(name)) {
      problems.push(`${at}: no arrow allows the development dependency ${name}`)
    }
  }
  return problems
}
