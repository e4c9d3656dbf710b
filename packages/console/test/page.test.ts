/** The built page: its size, the names in its files, and the time that a fresh clone needs to build it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from '@brokerwire/testing/root'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const PAGE = join(ROOT, 'packages/console/page.js')
/** Maximum size of all files that a browser loads, compressed with gzip -9. */
const MOST_BYTES = 60_000

let folder = ''
let files: readonly string[] = []
const read = (name: string): Buffer => readFileSync(join(folder, name))

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-page-'))
  execFileSync(process.execPath, [PAGE, '--to', folder], { stdio: 'inherit' })
  files = readdirSync(folder)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the built page', () => {
  test('is a page, a script and a style, and at most 60 kB of gzip together', () => {
    expect([...files].sort()).toEqual(['console.css', 'console.js', 'index.html'])
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0)
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
    expect(bytes).toBeGreaterThan(10_000)
  })

  test('has nothing inline and loads nothing from elsewhere', () => {
    const html = read('index.html').toString()
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i)
    expect([...html.matchAll(/<script[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([''])
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g))
      expect(address).toMatch(/^(?:\.\/|data:)/)
    const css = read('console.css').toString()
    expect(css).not.toMatch(/@import|url\((?!data:)/)
    // The content security policy of the page forbids code that is created from strings.
    expect(read('console.js').toString()).not.toMatch(/\beval\(|new Function\(/)
  })
})
