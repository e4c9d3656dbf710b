/** Imports between the folders of this package run in one direction. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** A folder may import from those before it. Files at the root of the package: those with a name here, and the rest last. */
const FOLDERS = [
  'relay-error.ts',
  'wire',
  'observer.ts',
  'sink',
  'webhook',
  'webhook-sink',
  'testing',
  'config',
  'app',
  'cluster',
  'nats/api',
  'nats/consumer',
  'nats',
  'postgres',
  'redis',
  'relay',
  '',
]
const ROOT = import.meta.dirname

const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/(^|\/)test\/|\.test\.ts$/.test(file),
)
const folderOf = (file: string): string => (FOLDERS.includes(file) ? file : dirname(file).replace(/^\.$/, ''))

/** Imports of files in folders that come later. */
function upwardImports(files: readonly { readonly file: string; readonly text: string }[]): string[] {
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
      .map(([, path = '']) => relative(ROOT, join(ROOT, dirname(file), path)))
      .filter((imported) => FOLDERS.indexOf(folderOf(imported)) > FOLDERS.indexOf(folderOf(file)))
      .map((imported) => `${file} imports ${imported}`),
  )
}

test('every folder is listed', () => {
  expect(sources.map(folderOf).filter((folder) => !FOLDERS.includes(folder))).toEqual([])
  expect(sources.length).toBeGreaterThan(50)
})

test('no file imports from a folder that comes later', () => {
  const texts = sources.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
  expect(upwardImports(texts)).toEqual([])
})

test('detects an import in the other direction', () => {
  const text = "import type { SinkEntry } from '../sink/event-sink.ts'\nimport { a } from './subjects.ts'\n"
  expect(upwardImports([{ file: 'wire/entries.ts', text }])).toEqual([
    'wire/entries.ts imports sink/event-sink.ts',
  ])
})
