/** Runs `brokerwire vectors`. */
import { escapeControlChars } from '@brokerwire/core'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readJson } from '../input.ts'
import { findRecords } from '../vectors/records.ts'
import { checkVectors } from '../vectors/report.ts'

export const run: Run<unknown> = async ({ args, io }) => {
  const files = args[0] as readonly string[]
  let passed = 0
  let failed = 0
  for (const file of files) {
    const records = findRecords(await readJson(file))
    if (records.length === 0) {
      const problem = 'must contain arrays of records with "path" or "requestHex"; received none'
      throw new CliError('CLI_VECTORS_EMPTY', `${file} ${problem}`, { details: { file } })
    }
    const report = await checkVectors(records)
    for (const mismatch of report.mismatches)
      io.out(files.length > 1 ? `${escapeControlChars(file)}: ${mismatch}` : mismatch)
    passed += report.passed
    failed += report.failed
  }
  io.out(`${passed} passed, ${failed} failed`)
  return failed === 0 ? EXIT.done : EXIT.no
}
