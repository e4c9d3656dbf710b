/**
 * `pnpm generate:check`: the checked-in code is what the `.proto` files generate. Writes nothing into the
 * repository: the new code goes to a temporary folder and is compared file by file.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import { runOrThrow } from '../../ci/lib/run.ts'
import { ROOT } from '../../ci/lib/workspace.ts'

/** Where buf.gen.yaml points, seen from the root. */
const GENERATED = [
  'packages/protos/src/gen',
  'packages/streams/src/transport/decoding/gen',
  'packages/quotes/src/decoding/gen',
]

function filesBelow(directory: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(path.slice(directory.length + 1), readFileSync(path, 'utf8'))
  }
  return files
}

const temporary = mkdtempSync(join(tmpdir(), 'brokerwire-generate-'))
try {
  // The template's `out` begins with `..`: a folder below the temporary one stands in for `protos`.
  await runOrThrow('buf', ['generate', '--output', join(temporary, 'protos')], { cwd: join(ROOT, 'protos') })
  let files = 0
  const problems: string[] = []
  for (const folder of GENERATED) {
    const fresh = filesBelow(join(temporary, folder))
    const checkedIn = filesBelow(join(ROOT, folder))
    files += fresh.size
    if (fresh.size === 0) problems.push(`${folder}: nothing was generated`)
    for (const file of new Set([...fresh.keys(), ...checkedIn.keys()])) {
      if (fresh.get(file) === checkedIn.get(file)) continue
      problems.push(`${folder}/${file}: differs from what is generated; run: pnpm generate`)
    }
  }
  report('generated code', problems, `${files} files unchanged`)
} finally {
  rmSync(temporary, { recursive: true })
}
