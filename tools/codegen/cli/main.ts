/** `pnpm cli:documents` writes the documents of the command line; with `--check` it compares them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../../ci/lib/workspace.ts'
import { documents } from './documents.ts'

const isCheck = process.argv.includes('--check')
let stale = 0
for (const [path, text] of documents()) {
  const file = join(ROOT, path)
  let found: string | undefined
  try {
    found = readFileSync(file, 'utf8')
  } catch {
    // Not written yet.
  }
  if (found === text) continue
  if (isCheck) console.log(`${path}: not what the definitions say; pnpm cli:documents writes it`)
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  stale += 1
}
console.log(`cli documents: ${documents().size} files, ${stale} ${isCheck ? 'stale' : 'written'}`)
if (isCheck && stale > 0) process.exitCode = 1
