// All texts of the console, each in English, Russian and Kazakh. Names of fields, paths and codes are those of the API, in every language.
const TEXTS = {
  // The shell.
  console: ['The platform on this machine', 'Платформа на этом компьютере', 'Осы компьютердегі платформа'],
  skip: ['Skip to the content', 'К содержанию', 'Мазмұнға өту'],
  menu: ['Menu', 'Меню', 'Мәзір'],
  language: ['Language', 'Язык', 'Тіл'],
  home: ['Start', 'Начало', 'Басы'],
  views: ['Views', 'Обзоры', 'Шолулар'],
  records: ['Records', 'Записи', 'Жазбалар'],
  pages: ['Pages', 'Страницы', 'Беттер'],
  reference: ['Reference', 'Справочник', 'Анықтамалық'],
  prices: ['Prices', 'Цены', 'Бағалар'],
  events: ['Events', 'События', 'Оқиғалар'],
  schedule: ['Schedule', 'Календарь', 'Күнтізбе'],
  metrics: ['Metrics', 'Показатели', 'Көрсеткіштер'],
  outbox: ['Outbox', 'Исходящие', 'Шығыс хабарлар'],
  webhooks: ['Webhooks', 'Вебхуки', 'Вебхуктар'],
  requests: ['Requests', 'Запросы', 'Сұраулар'],
  only_here: ['The console answers callers on this machine only, and exists in no deployed stage. It asks the API as any client does.',
    'Консоль отвечает только на этом компьютере, на развёрнутых стендах её нет. К API она обращается, как любой клиент.',
    'Консоль тек осы компьютерде жауап береді, орналастырылған стендтерде ол жоқ. API-ге кез келген клиент сияқты жүгінеді.'],
  token: ['A token for curl', 'Токен для curl', 'curl үшін токен'],
  no_view: ['There is nothing here', 'Здесь ничего нет', 'Мұнда ештеңе жоқ'],

  // Signing in.
  sign_in: ['Sign in', 'Войти', 'Кіру'],
  sign_out: ['Sign out', 'Выйти', 'Шығу'],
  sign_in_first: ['This needs a sign-in.', 'Для этого нужно войти.', 'Бұл үшін кіру керек.'],
  as_owner: ['Sign in as the demo owner', 'Войти как владелец демо-компании', 'Демо-компания иесі ретінде кіру'],
  as_other: ['As another user', 'Другой пользователь', 'Басқа пайдаланушы'],
  username: ['E-mail', 'E-mail', 'E-mail'],
  password: ['Password', 'Пароль', 'Құпиясөз'],
  company: ['Company', 'Компания', 'Компания'],
  no_demo: ['There is no demo company: the platform was started without one.', 'Демо-компании нет: платформа запущена без неё.',
    'Демо-компания жоқ: платформа онсыз іске қосылған.'],
  making_demo: ['The demo company is being made …', 'Демо-компания создаётся …', 'Демо-компания жасалып жатыр …'],

  // What all views say.
  reading: ['Reading …', 'Загрузка …', 'Жүктелуде …'],
  failed: ['It failed:', 'Не получилось:', 'Болмады:'],
  answered: ['The answer is {status}:', 'Ответ {status}:', 'Жауап {status}:'],
  again: ['Try again', 'Повторить', 'Қайталау'],
  yes: ['yes', 'да', 'иә'],
  no: ['no', 'нет', 'жоқ'],
  nothing: ['There is nothing.', 'Ничего нет.', 'Ештеңе жоқ.'],
  copy: ['Copy', 'Копировать', 'Көшіру'],
  open: ['Open', 'Открыть', 'Ашу'],

  // Lists.
  search: ['Search', 'Поиск', 'Іздеу'],
  ordering: ['Order', 'Порядок', 'Реті'],
  newest: ['as it comes', 'по умолчанию', 'әдепкі'],
  filter: ['Filter', 'Фильтр', 'Сүзгі'],
  add: ['Add …', 'Добавить …', 'Қосу …'],
  remove: ['Remove the filter {name}', 'Убрать фильтр {name}', '{name} сүзгісін алып тастау'],
  comparison: ['comparison', 'сравнение', 'салыстыру'],
  find: ['Find', 'Найти', 'Табу'],
  found: ['{count} in all', 'Всего: {count}', 'Барлығы: {count}'],
  turn: ['Pages of the list', 'Страницы списка', 'Тізім беттері'],
  page: ['Page {page}', 'Страница {page}', '{page}-бет'],
  first: ['First', 'Первая', 'Бірінші'],
  before: ['Previous', 'Предыдущая', 'Алдыңғы'],
  after: ['Next', 'Следующая', 'Келесі'],
  last: ['Last', 'Последняя', 'Соңғы'],

  // One record.
  about: ['The record', 'Запись', 'Жазба'],
  fields: ['Fields', 'Поля', 'Өрістер'],
  history: ['History', 'История', 'Тарихы'],
  timeline: ['Timeline', 'Хронология', 'Хронология'],
  field: ['Field', 'Поле', 'Өріс'],
  was: ['Was', 'Было', 'Болған'],
  is: ['Is', 'Стало', 'Болды'],
  files: ['Files', 'Файлы', 'Файлдар'],
  signs: ['Signs', 'Подписи', 'Қолтаңбалар'],
  stages: ['Stages', 'Этапы', 'Кезеңдер'],
  signing_page: ['The signing page', 'Страница подписания', 'Қол қою беті'],
  verify: ['Verify a file', 'Проверить файл', 'Файлды тексеру'],

  // The kinds of records.
  kind_document: ['Documents', 'Документы', 'Құжаттар'],
  kind_template: ['Templates', 'Шаблоны', 'Үлгілер'],
  kind_rental_point: ['Rental points', 'Пункты проката', 'Жалға беру пункттері'],
  kind_client: ['Clients', 'Клиенты', 'Клиенттер'],
  kind_attraction_method: ['Attraction methods', 'Источники клиентов', 'Клиент тарту көздері'],
  kind_agent: ['Agents', 'Агенты', 'Агенттер'],
  kind_discount: ['Discounts', 'Скидки', 'Жеңілдіктер'],
  kind_price_rule: ['Price rules', 'Правила цен', 'Баға ережелері'],
  kind_category: ['Categories', 'Категории', 'Санаттар'],
  kind_service: ['Services', 'Услуги', 'Қызметтер'],
  kind_inventory_group: ['Inventory groups', 'Группы инвентаря', 'Мүкәммал топтары'],
  kind_inventory: ['Inventory items', 'Инвентарь', 'Мүкәммал'],
  kind_inventory_state: ['Inventory states', 'Состояния инвентаря', 'Мүкәммал күйлері'],
  kind_account: ['Accounts', 'Счета', 'Шоттар'],
  kind_transaction: ['Transactions', 'Операции', 'Операциялар'],
  kind_exchange: ['Exchanges', 'Обмены', 'Айырбастар'],
  kind_sms_message: ['SMS messages', 'SMS', 'SMS'],
  kind_sms_operation: ['SMS account operations', 'Операции счёта SMS', 'SMS шотының операциялары'],
  kind_order: ['Orders', 'Заказы', 'Тапсырыстар'],
  kind_order_inventory: ['Order lines', 'Позиции заказов', 'Тапсырыс позициялары'],
  kind_order_service: ['Order services', 'Услуги заказов', 'Тапсырыс қызметтері'],
  kind_referral: ['Referrals', 'Вознаграждения агентов', 'Агент сыйақылары'],
  kind_request_exchange: ['Exchanges of items', 'Замены', 'Ауыстырулар'],
  kind_funnel: ['Funnels', 'Воронки', 'Воронкалар'],
  kind_lead: ['Leads', 'Сделки', 'Мәмілелер'],
  kind_penalty: ['Penalties', 'Штрафы', 'Айыппұлдар'],
  kind_penalty_state: ['Penalty states', 'Статусы штрафов', 'Айыппұл мәртебелері'],
  kind_custom_field: ['Custom fields', 'Дополнительные поля', 'Қосымша өрістер'],
  kind_feed_token: ['Feed tokens', 'Токены приёма данных', 'Деректер қабылдау токендері'],
  kind_key: ['Keys', 'Ключи', 'Кілттер'],
  kind_webhook: ['Webhooks', 'Вебхуки', 'Вебхуктар'],
  kind_user: ['Users', 'Пользователи', 'Пайдаланушылар'],
  kind_company: ['Companies', 'Компании', 'Компаниялар'],
};

export const LANGUAGES = { en: 'English', ru: 'Русский', kk: 'Қазақша' };
const KEPT = 'tenantry-language';
const known = (name) => (Object.hasOwn(LANGUAGES, name) ? name : undefined);
let spoken = known(localStorage.getItem(KEPT)) || navigator.languages.map((name) => known(name.slice(0, 2))).find(Boolean) || 'en';

export const language = () => spoken;
export function speak(name) {
  spoken = known(name) || spoken;
  localStorage.setItem(KEPT, spoken);
}

// say is a text in the language that was chosen; {name} in it is replaced by the parameter of that name.
export const say = (key, params = {}) => TEXTS[key][Object.keys(LANGUAGES).indexOf(spoken)].replaceAll(/\{(\w+)\}/g, (_, name) => params[name]);
