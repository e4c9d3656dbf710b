/**
 * `pnpm check:dependencies`: the arrows between packages hold in manifests and in imports, no file reaches itself,
 * and nothing that runs on the edge reaches a module of Node.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import { allPackages, ROOT, SCOPE, sourceEntries } from '../../ci/lib/workspace.ts'
import { ARROWS, EDGE_CONDITIONS, EDGE_ENTRIES } from './arrows.ts'
import { manifestProblems } from './manifests.ts'
import { edgeRules, findViolations, sourceRules } from './rules.ts'

const packages = allPackages()
const problems = packages.flatMap(({ short, manifest }) => manifestProblems(short, manifest))
const edgeFiles = EDGE_ENTRIES.flatMap(([short, subpath]) => {
  const pkg = packages.find((candidate) => candidate.short === short)
  const file = pkg && sourceEntries(pkg, EDGE_CONDITIONS).get(subpath)
  if (file !== undefined && existsSync(join(ROOT, file))) return [file]
  problems.push(`${SCOPE}${short} ${subpath}: no source stands behind this edge entry point`)
  return []
})
const all = await findViolations(
  packages.map(({ directory }) => `${directory}/src`),
  sourceRules(ARROWS),
  { root: ROOT, conditions: ['node', 'import', 'default'], types: true, installed: false },
)
const edge = await findViolations(edgeFiles, edgeRules(edgeFiles), {
  root: ROOT,
  conditions: EDGE_CONDITIONS,
  types: false,
  installed: true,
})
report(
  'dependencies',
  [...problems, ...all.problems, ...edge.problems],
  `${packages.length} packages, ${all.files} files, ${edgeFiles.length} edge entry points`,
)
