/**
 * `pnpm check:dependencies`: the arrows between packages hold in manifests and in imports, no file reaches itself,
 * and nothing that runs on the edge reaches a module of Node.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../lib/report.ts'
import { publicPackages, ROOT, SCOPE, sourceEntries } from '../lib/workspace.ts'
import { EDGE_CONDITIONS, EDGE_ENTRIES } from './arrows.ts'
import { circles, readGraph, waysTo } from './graph.ts'
import { importProblems } from './imports.ts'
import { manifestProblems } from './manifests.ts'

const packages = publicPackages()
const problems = packages.flatMap(({ short, manifest }) => manifestProblems(short, manifest))

const all = await readGraph(
  packages.map(({ directory }) => `${directory}/src`),
  { root: ROOT, conditions: ['node', 'import', 'default'], types: true, installed: false },
)
problems.push(...packages.flatMap((pkg) => importProblems(pkg, all)))
problems.push(...circles(all).map((circle) => `a circle: ${circle.join(' -> ')}`))

const edgeFiles = EDGE_ENTRIES.flatMap(([short, subpath]) => {
  const pkg = packages.find((candidate) => candidate.short === short)
  const file = pkg && sourceEntries(pkg, EDGE_CONDITIONS).get(subpath)
  if (file !== undefined && existsSync(join(ROOT, file))) return [file]
  problems.push(`${SCOPE}${short} ${subpath}: no source stands behind this edge entry point`)
  return []
})
const edge = await readGraph(edgeFiles, {
  root: ROOT,
  conditions: EDGE_CONDITIONS,
  types: false,
  installed: true,
})
for (const file of edgeFiles) {
  for (const way of waysTo(edge, file, ({ kind }) => kind === 'node')) {
    problems.push(`a module of Node on the edge: ${way.join(' -> ')}`)
  }
}

report(
  'dependencies',
  problems,
  `${packages.length} packages, ${all.size} files, ${edgeFiles.length} edge entry points`,
)
