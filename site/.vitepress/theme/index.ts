// Theme of the documentation site: the default one, with one language for the examples of all pages.
import { onContentUpdated, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'

const KEY = 'landbridge-language'

export default {
  extends: DefaultTheme,
  setup() {
    if (import.meta.env.SSR) return
    onContentUpdated(() => show(localStorage.getItem(KEY)))
    addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || !target.matches('.vp-code-group input')) return
      const language = target.labels?.[0]?.textContent ?? null
      if (language !== null) localStorage.setItem(KEY, language)
      const top = target.getBoundingClientRect().top
      show(language)
      // Examples above have another height now; the one that was chosen stays in place.
      scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' })
    })
  },
} satisfies Theme

/** Show a language in each group of examples that has it. */
function show(language: string | null): void {
  for (const group of document.querySelectorAll('.vp-code-group')) {
    const inputs = [...group.querySelectorAll<HTMLInputElement>('.tabs input')]
    const chosen = inputs.findIndex((each) => each.labels?.[0]?.textContent === language)
    if (chosen < 0) continue
    inputs[chosen].checked = true
    const blocks = group.querySelector('.blocks')?.children ?? []
    Array.from(blocks, (each, at) => each.classList.toggle('active', at === chosen))
  }
}
