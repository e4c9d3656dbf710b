/** `brokerwire demo`: from credentials to decoded events, on a local service. */
import type { AddCommand } from '../add-command.ts'
import { runDemo } from '../demo/demo.ts'

export const addDemo: AddCommand = (program, io, done) => {
  program
    .command('demo')
    .description('get a token, open all streams, lose the connections, come back; on a local service')
    .option('--keep', 'go on until stopped; prints the addresses and credentials of the local service', false)
    .action(async ({ keep }: { readonly keep: boolean }) => done(await runDemo({ keep }, io)))
}
