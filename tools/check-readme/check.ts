/** `pnpm check:readme`: every `ts` block of the documents compiles, every link within the repository leads somewhere. */
import { report } from '../lib/report.ts'
import { compileBlocks } from './compile.ts'
import { readmeDocuments } from './documents.ts'
import { linkProblems } from './links.ts'

const documents = await readmeDocuments()
const { blocks, problems } = compileBlocks(documents)
report(
  'readme blocks',
  [...problems, ...linkProblems(documents)],
  `${blocks} blocks in ${documents.length} documents compile`,
)
