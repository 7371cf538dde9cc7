// Draws a PDF by pdf.js, page by page: a page is drawn when it comes near what the reader sees, and forgotten when it is
// far from it, so that a long document fits a telephone.

const ZOOMS = [1, 1.25, 1.5, 2, 3];
const MOST_PIXELS = 12e6; // of a canvas; telephones refuse much larger ones
const MOST_WIDTH = 900; // of a page that fits, in CSS pixels

export class Viewer {
  // root: where the pages go; folder: of pdf.js; zoom: {out, in, is}; label: what a page is called; failed: a text.
  constructor({ root, folder, zoom, label, failed }) {
    Object.assign(this, { root, folder, zoom, label, failed });
    this.step = 0;
    this.pages = [];
    this.near = new Set();
    this.shows = 0; // counts what is shown, so that what is late for an older one is dropped
    this.working = null;
    this.width = 0;
    // It is loaded while the document is. What fails is said when it is needed.
    this.loaded = import(`${folder}pdf.min.mjs`).catch(() => null);
    this.watch = new IntersectionObserver((list) => this.seen(list), { rootMargin: '100% 0px' });
    zoom.out.addEventListener('click', () => this.setZoom(this.step - 1));
    zoom.in.addEventListener('click', () => this.setZoom(this.step + 1));
    if (globalThis.ResizeObserver) new ResizeObserver(() => this.layout()).observe(root);
    else addEventListener('resize', () => this.layout());
    this.setZoom(0);
  }

  async show(bytes) {
    this.shows += 1;
    const mine = this.shows;
    this.clear();
    const lib = await this.loaded;
    if (!lib) throw new Error('pdf.js is not there');
    lib.GlobalWorkerOptions.workerSrc = `${this.folder}pdf.worker.min.mjs`;
    const doc = await lib.getDocument({
      data: bytes, isEvalSupported: false, useWasm: false, wasmUrl: this.folder, standardFontDataUrl: this.folder, verbosity: 0,
    }).promise;
    const first = await doc.getPage(1);
    if (mine !== this.shows) {
      doc.destroy();
      return;
    }
    Object.assign(this, { lib, doc });
    const { width, height } = first.getViewport({ scale: 1 });
    for (let number = 1; number <= doc.numPages; number += 1) {
      const box = document.createElement('div');
      box.className = 'page';
      box.setAttribute('role', 'group');
      box.setAttribute('aria-label', this.label(number, doc.numPages));
      this.pages.push({ number, box, width, height, drawn: 0 });
      this.root.append(box);
    }
    this.layout(true);
    for (const page of this.pages) this.watch.observe(page.box);
  }

  clear() {
    this.watch.disconnect();
    this.near.clear();
    this.stop();
    this.pages = [];
    this.root.replaceChildren();
    if (this.doc) this.doc.destroy();
    this.doc = null;
  }

  setZoom(step) {
    this.step = Math.min(Math.max(step, 0), ZOOMS.length - 1);
    this.zoom.is.textContent = `${Math.round(ZOOMS[this.step] * 100)} %`;
    this.zoom.out.setAttribute('aria-disabled', String(this.step === 0));
    this.zoom.in.setAttribute('aria-disabled', String(this.step === ZOOMS.length - 1));
    if (this.step > 0) this.root.tabIndex = 0; // it scrolls sideways
    else this.root.removeAttribute('tabindex');
    this.layout(true);
  }

  // Gives each page its size on the screen.
  layout(always = false) {
    const width = this.root.clientWidth;
    if (width === 0 || (width === this.width && !always)) return;
    this.width = width;
    this.stop();
    // What is in the middle of the screen stays there.
    const middle = innerHeight / 2;
    const at = this.pages.find((page) => page.box.getBoundingClientRect().bottom > middle);
    const before = at && at.box.getBoundingClientRect();
    const across = (this.root.scrollLeft + width / 2) / this.root.scrollWidth;
    for (const page of this.pages) this.size(page);
    if (before && before.top < middle) {
      const after = at.box.getBoundingClientRect();
      scrollBy(0, after.top + ((middle - before.top) / before.height) * after.height - middle);
    }
    this.root.scrollLeft = across * this.root.scrollWidth - width / 2;
    this.next();
  }

  size(page) {
    page.scale = (Math.min(this.width, MOST_WIDTH) / page.width) * ZOOMS[this.step];
    page.box.style.width = `${page.width * page.scale}px`;
    page.box.style.height = `${page.height * page.scale}px`;
  }

  seen(list) {
    for (const { target, isIntersecting } of list) {
      const page = this.pages.find((p) => p.box === target);
      if (!page) continue;
      if (isIntersecting) {
        this.near.add(page);
      } else if (this.near.delete(page)) {
        page.box.replaceChildren();
        page.drawn = 0;
      }
    }
    this.next();
  }

  stop() {
    if (this.working && this.working.task) this.working.task.cancel();
  }

  // Draws the next page that is near and isn't drawn at its size.
  async next() {
    if (this.working) return;
    const page = [...this.near].sort((a, b) => a.number - b.number).find((p) => p.drawn !== p.scale);
    if (!page) return;
    this.working = { page };
    try {
      await this.draw(page);
    } catch (e) {
      if (e.name !== 'RenderingCancelledException' && this.pages.includes(page)) {
        page.drawn = page.scale;
        const failed = document.createElement('p');
        failed.className = 'failed';
        failed.textContent = this.failed;
        page.box.replaceChildren(failed);
      }
    }
    this.working = null;
    this.next();
  }

  async draw(page) {
    const { box } = page;
    const pdf = await this.doc.getPage(page.number);
    const whole = pdf.getViewport({ scale: 1 });
    if (whole.width !== page.width || whole.height !== page.height) {
      Object.assign(page, { width: whole.width, height: whole.height });
      this.size(page);
    }
    const { scale } = page;
    const area = whole.width * whole.height * scale * scale;
    const density = Math.min(Math.max(globalThis.devicePixelRatio || 1, 1), 3, Math.sqrt(MOST_PIXELS / area));
    const canvas = document.createElement('canvas');
    const viewport = pdf.getViewport({ scale: scale * density });
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    const task = pdf.render({ canvas, viewport });
    this.working.task = task;
    await task.promise;
    const text = document.createElement('div');
    text.className = 'text';
    box.style.setProperty('--total-scale-factor', String(scale));
    const layer = new this.lib.TextLayer({
      textContentSource: await pdf.getTextContent(), container: text, viewport: pdf.getViewport({ scale }),
    });
    await layer.render();
    if (!this.near.has(page)) return;
    box.replaceChildren(canvas, text);
    page.drawn = scale;
    pdf.cleanup();
  }
}
