// Configuration of the documentation site. Its pages are the Markdown files of docs/ as they are.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from 'vitepress'
import llms from 'vitepress-plugin-llms'
import { withMermaid } from 'vitepress-plugin-mermaid'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// Pages are copied to a folder from which the packages of this one are found.
const PAGES = fileURLToPath(new URL('../build/', import.meta.url))
const OUT = fileURLToPath(new URL('../dist', import.meta.url))
// Path at which the site is served; `landbridge` serves it at this one.
const BASE = process.env.SITE_BASE || '/docs/site/'
// Address of the repository's files, for links to what is no page. Without it they are plain text.
const SOURCE = process.env.SITE_SOURCE
const REWRITES: Record<string, string> = {
  'docs/README.md': 'index.md',
  'docs/decisions/README.md': 'decisions/index.md',
  'sdk/python/README.md': 'libraries/python.md',
  'sdk/typescript/README.md': 'libraries/typescript.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security-policy.md',
}

rmSync(PAGES, { recursive: true, force: true })
for (const each of ['docs', ...Object.keys(REWRITES)]) {
  const filter = (path: string) => path.endsWith('.md') || !/\.\w+$/.test(path)
  cpSync(ROOT + each, PAGES + each, { recursive: true, filter })
}
for (const folder of ['docs/start/', 'docs/guides/']) {
  for (const each of readdirSync(PAGES + folder)) if (each.endsWith('.md')) joinLanguages(PAGES + folder + each)
}

export default withMermaid(
  defineConfig({
    title: 'Landbridge',
    description: 'Self-hosted stablecoin payments: guides, concepts and reference.',
    lang: 'en',
    base: BASE,
    srcDir: './build',
    outDir: OUT,
    cacheDir: './node_modules/.cache',
    rewrites: pathOf,
    // The title of a page is its first heading.
    titleTemplate: ':title | Landbridge',
    cleanUrls: false,
    metaChunk: true,
    head: [['link', { rel: 'icon', href: `${BASE}icon.svg`, type: 'image/svg+xml' }]],
    buildEnd: addFiles,
    markdown: { config: resolveLinks, anchor: { slugify: anchorOf } },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      sidebar: sidebar(),
      nav: [
        { text: 'Start', link: '/start/first-swap' },
        // Beside the pages, so left to the browser; `base` is added to it.
        { text: 'API', link: '/api/index.html', target: '_self' },
        { text: 'Changelog', link: '/changelog' },
      ],
    },
    vite: { plugins: [llms()], build: { chunkSizeWarningLimit: 4000 } },
  }),
)

/** One example in several languages is one block after the other, which become tabs. */
function joinLanguages(page: string): void {
  const titles: Record<string, string> = { sh: 'curl', python: 'Python', ts: 'TypeScript' }
  // Each group begins with its first language, so that two in a row stay two.
  const blocks = /^```(?:sh|python)\n(?:(?!```).*\n)*```\n\n?(?:^```(?:python|ts)\n(?:(?!```).*\n)*```\n\n?)+/gm
  const joined = readFileSync(page, 'utf-8').replace(blocks, (group) => {
    const titled = group.replace(/^```(sh|python|ts)$/gm, (fence, language) => `${fence} [${titles[language]}]`)
    return `::: code-group\n\n${titled}\n:::\n\n`
  })
  writeFileSync(page, joined)
}

function pathOf(page: string): string {
  return REWRITES[page] ?? page.replace(/^docs\//, '')
}

/** The sidebar is the list of docs/README.md: one group for each of its headings. */
function sidebar(): DefaultTheme.SidebarItem[] {
  const groups: DefaultTheme.SidebarItem[] = []
  for (const line of readFileSync(`${ROOT}docs/README.md`, 'utf-8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)
    if (heading) groups.push({ text: heading[1], collapsed: groups.length > 1, items: [] })
    for (const [, text, path] of line.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)) {
      groups.at(-1)?.items?.push({ text, link: `/${pathOf(`docs/${path}`)}` })
    }
  }
  const libraries = [
    { text: 'Python', link: '/libraries/python' },
    { text: 'TypeScript', link: '/libraries/typescript' },
  ]
  return [...groups, { text: 'Libraries', collapsed: true, items: libraries }]
}

/** Links to pages lead to their place on the site; those to other files, to the repository. */
function resolveLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('links_to_files', ({ tokens, env }) => {
    const folder = relative(PAGES, dirname(env.realPath ?? env.path))
    for (const link of tokens.flatMap((each) => each.children ?? [])) {
      const href = link.type === 'link_open' ? link.attrGet('href') : null
      if (!href || href.startsWith('#') || /^[a-z]+:/.test(href)) continue
      const [path, anchor] = href.split('#')
      const target = join(folder, path)
      const suffix = anchor ? `#${anchor}` : ''
      if (isPage(target)) link.attrSet('href', `/${pathOf(target)}${suffix}`)
      else if (target === 'openapi.json') link.attrs = [['href', `${BASE}openapi.json`], ['target', '_self']]
      else if (SOURCE) link.attrSet('href', `${SOURCE}${target}${suffix}`)
      else link.attrs = null
    }
  })
}

/** Anchors are those of GitHub, so that links lead to the same heading on both. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replace(/ /g, '-')
}

function isPage(path: string): boolean {
  return path.endsWith('.md') && (path.startsWith('docs/') || path in REWRITES)
}

/** The icon, and Swagger UI with the OpenAPI document. */
function addFiles(): void {
  const library = fileURLToPath(new URL('../node_modules/swagger-ui-dist/', import.meta.url))
  cpSync(fileURLToPath(new URL('../api', import.meta.url)), `${OUT}/api`, { recursive: true })
  for (const each of ['swagger-ui.css', 'swagger-ui-bundle.js']) cpSync(library + each, `${OUT}/api/${each}`)
  cpSync(`${ROOT}openapi.json`, `${OUT}/openapi.json`)
  cpSync(`${ROOT}src/landbridge/dashboard/static/icon.svg`, `${OUT}/icon.svg`)
}
