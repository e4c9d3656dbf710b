/** `pnpm check:exports [--update]`: a change of the public names is a line in a diff that somebody approves. */
import { report } from '../lib/report.ts'
import { compareSnapshot } from '../lib/snapshot.ts'
import { exportedNames } from './names.ts'

const names = exportedNames()
const changes = compareSnapshot('tools/snapshots/exports.txt', names, process.argv.includes('--update'))
report(
  'exports (after an intended change: pnpm check:exports --update)',
  changes,
  `${names.length} names as in the snapshot`,
)
