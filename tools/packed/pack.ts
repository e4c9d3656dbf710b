/** `pnpm pack:all`: packs what the checks of tarballs look at. They do it themselves when they run alone. */
import { report } from '../lib/report.ts'
import { currentPlace, NO_PLACE } from '../release/place.ts'
import { tarballs } from './tarballs.ts'

const packed = await tarballs()
if (currentPlace() === undefined) console.log(NO_PLACE)
report('pack', [], `${packed.length} tarballs`)
