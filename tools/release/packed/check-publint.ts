/** `pnpm check:publint`: publint over what would be published; suggestions count as well. */

import { readFileSync } from 'node:fs'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { report } from '../../ci/lib/report.ts'
import { tarballs } from './tarballs.ts'

const packed = await tarballs()
const problems: string[] = []
for (const { pkg, path } of packed) {
  const tarball = new Uint8Array(readFileSync(path)).buffer
  const { messages, pkg: manifest } = await publint({ strict: true, pack: { tarball } })
  for (const message of messages) {
    problems.push(`${pkg.manifest.name}: ${formatMessage(message, manifest, { color: false })}`)
  }
}
report('publint', problems, `${packed.length} tarballs, strict`)
