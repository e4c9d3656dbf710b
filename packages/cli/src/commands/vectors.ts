/** `brokerwire vectors FILE...`: holds vector files against the signer. */
import { printable } from '@brokerwire/core'
import type { AddCommand } from '../add-command.ts'
import { CliError } from '../cli-error.ts'
import { readJson } from '../input.ts'
import { findRecords } from '../vectors/records.ts'
import { checkVectors } from '../vectors/report.ts'

export const addVectors: AddCommand = (program, io, done) => {
  program
    .command('vectors')
    .description('check files of signature vectors; status 1 when any fails')
    .argument('<file...>', 'JSON whose arrays hold records: HTTP ones have "path", stream ones "requestHex"')
    .action(async (files: readonly string[]) => {
      let passed = 0
      let failed = 0
      for (const file of files) {
        const records = findRecords(await readJson(file))
        if (records.length === 0) {
          const expected = 'arrays of records that have "path" or "requestHex"'
          throw new CliError('CLI_VECTORS_EMPTY', `${file}: expected ${expected}, found none`, {
            details: { file, expected },
          })
        }
        const report = await checkVectors(records)
        for (const mismatch of report.mismatches)
          io.out(files.length > 1 ? `${printable(file)}: ${mismatch}` : mismatch)
        passed += report.passed
        failed += report.failed
      }
      io.out(`${passed} passed, ${failed} failed`)
      done(failed === 0 ? 0 : 1)
    })
}
