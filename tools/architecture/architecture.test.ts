/** The walks of ARCHITECTURE.md are those that the code takes: each function is defined in the file that is named. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../lib/workspace.ts'

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')

/** One row: files and the functions that stand in each of them, whichever column comes first. */
interface Row {
  readonly files: readonly string[]
  readonly names: readonly string[]
}

/** The rows of the first table below a heading. */
function rowsBelow(heading: string): Row[] {
  const section = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? ''
  return [...section.matchAll(/^\| (`[^|]+) \| (`[^|]+) \| [^|]+\|$/gm)].map(([, one = '', other = '']) => {
    const [files, names] = (one.includes('.ts`') ? [one, other] : [other, one]).map((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    )
    return { files: files ?? [], names: names ?? [] }
  })
}

/** The functions and methods that a file defines. */
function definedIn(path: string): Set<string> {
  const names = new Set<string>()
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const isFunction = (node: ts.Expression | undefined): boolean =>
    node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
  const visit = (node: ts.Node): void => {
    const isNamed =
      ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body !== undefined) ||
      ((ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) && isFunction(node.initializer))
    if (isNamed && node.name !== undefined) names.add(node.name.getText(source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

describe.each([
  { heading: 'A signed request', folder: 'packages', maxFiles: 9, maxNames: 13 },
  { heading: 'A first create', folder: 'packages/tokens/src', maxFiles: 10, maxNames: 18 },
  { heading: 'The way of an event', folder: 'packages', maxFiles: 8, maxNames: 8 },
])('$heading', ({ heading, folder, maxFiles, maxNames }) => {
  const rows = rowsBelow(heading)

  test(`has at most ${maxFiles} files and ${maxNames} functions`, () => {
    const files = new Set(rows.flatMap((row) => row.files))
    const names = new Set(rows.flatMap((row) => row.names))
    expect(files.size).toBeGreaterThan(4)
    expect(files.size).toBeLessThanOrEqual(maxFiles)
    expect(names.size).toBeGreaterThan(4)
    expect(names.size).toBeLessThanOrEqual(maxNames)
  })

  test.each(rows.flatMap(({ files, names }) => files.map((file) => ({ file, names }))))(
    '$file defines $names',
    ({ file, names }) => {
      const defined = definedIn(join(ROOT, folder, file))
      expect(names.filter((name) => !defined.has(name))).toEqual([])
      expect(names).not.toEqual([])
    },
  )
})
