/** `pnpm check:readme`: every `ts` block of the documents compiles. */
import { report } from '../lib/report.ts'
import { compileBlocks } from './compile.ts'
import { readmeDocuments } from './documents.ts'

const documents = await readmeDocuments()
const { blocks, problems } = compileBlocks(documents)
report('readme blocks', problems, `${blocks} blocks in ${documents.length} documents compile`)
