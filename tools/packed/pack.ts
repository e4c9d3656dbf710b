/** `pnpm pack:all`: packs what the checks of tarballs look at. They do it themselves when they run alone. */
import { report } from '../lib/report.ts'
import { tarballs } from './tarballs.ts'

const packed = await tarballs()
report('pack', [], `${packed.length} tarballs`)
