/** Colors by meaning, so that no other file names a color. */
import pc from 'picocolors'

/** What a piece of text means. */
export type Tone = 'good' | 'bad' | 'notice' | 'module' | 'muted' | 'strong' | 'plain'

/** Puts a text into the color of its meaning. */
export type Paint = (tone: Tone, text: string) => string

/** @param color - Whether the output takes colors. */
export function createPaint(color: boolean): Paint {
  const colors = pc.createColors(color)
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: colors.green,
    bad: colors.red,
    notice: colors.yellow,
    module: colors.cyan,
    muted: colors.dim,
    strong: colors.bold,
    plain: (text) => text,
  }
  return (tone, text) => tones[tone](text)
}
