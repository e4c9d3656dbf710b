/** The sheet of open points lists what the specification and the facts leave open: all of it, and nothing else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publicPackages, ROOT } from '../lib/workspace.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const sheet = read('docs/open-points.md')

/** The cells of each row of the tables below a heading. */
function rowsBelow(heading: string): string[][] {
  const part = sheet.split(/^## /m).find((text) => text.startsWith(heading)) ?? ''
  return part
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map(([, ...cells]) => cells)
    .slice(1)
}

/** What a line of the specification leaves open: its sentence, or the name of the row. */
function openIn(line: string): string[] {
  const row = /^\| ([^|]+) \| not shown \|$/.exec(line)
  if (row?.[1] !== undefined) return [row[1].trim()]
  const sentences = line.replace(/^\s*[-*] /, '').split(/(?<=\.)\s+(?=[A-Z])/)
  return sentences.filter((sentence) => sentence.includes('not shown'))
}

test('every "not shown" of the specification is a row, in its order, and no row is about anything else', () => {
  const open = read('docs/specification.md').split('\n').flatMap(openIn)
  expect(open.length).toBeGreaterThan(20)
  expect(rowsBelow('Of the specification').map(([quote]) => quote)).toEqual(open)
})

test('every "?" of the facts is a row, in its order, and no row is about anything else', () => {
  const open = read('docs/facts.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.some((cell) => /(^|, )\?( option)?$/.test(cell)))
    .map(([, topic]) => topic)
  expect(open.length).toBeGreaterThan(10)
  expect(rowsBelow('Of the facts').map(([topic]) => topic)).toEqual(open)
})

describe('what changes it', () => {
  const rows = [...rowsBelow('Of the specification'), ...rowsBelow('Of the facts')]
  const named = rows.flatMap(([, , change = '']) =>
    change === 'none' ? [] : change.split('; ').map((entry) => [entry, ...entry.split(': ')] as const),
  )

  test.each(named)('%s: a package, and names that its page explains', (_entry, short, names = '') => {
    const pkg = publicPackages().find((found) => found.short === short)
    if (pkg === undefined) throw new Error(`there is no package ${short}`)
    const page = read(join(pkg.directory, 'README.md'))
    const options = names.match(/(?<=`)[^`,]+(?=`)/g) ?? []
    for (const option of options) expect(page).toContain(option)
    expect(names).not.toBe('')
  })

  test('each row says what we do', () => {
    for (const [quote, what, change] of rows)
      expect([quote, what, change].every((cell) => cell !== '')).toBe(true)
  })
})
