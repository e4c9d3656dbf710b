/** `pnpm check:workflows [FILE...]`: the workflows and forms below `.github` are what the host reads. */
import { readFileSync } from 'node:fs'
import { report } from '../../ci/lib/report.ts'
import { type HostFile, yamlFiles } from './files.ts'
import { lint } from './lint.ts'

const given = process.argv.slice(2)
const files: readonly HostFile[] =
  given.length > 0 ? given.map((file) => ({ file, text: readFileSync(file, 'utf8') })) : await yamlFiles()
const problems = (await Promise.all(files.map(lint))).flat()
report('workflows', problems, `${files.length} files`)
