"""Golden set: invented listed names, their spellings, and unlisted names."""

import random
from collections.abc import Iterator

from landbridge.providers.screening.model import SanctionsEntry, ScreeningSubject
from tests.providers.screening.lists import entity, person

LISTED: tuple[SanctionsEntry, ...] = (
    person(1, "ZORBANOV, Aleksandr Petrovich", "ZORBANOFF, Alexander", born=("03 Dec 1961",)),
    person(2, "AL-QASSIRI, Mohammed Hussein", "ABU YUSUF", born=("circa 1970",)),
    person(3, "TEMIROVSKY, Dmitri Sergeyevich", born=("12 Jan 1958", "12 Jan 1960")),
    person(4, "ABD AL-RAHMAN, Yasir Khalid", "AL-DHARI, Yasser", born=("1958 to 1960",)),
    person(5, "VALDERRUEDA QUINTAL, Joaquin Ernesto", born=("Sep 1969",)),
    person(6, "OKWUDILICHE, Chukwuemeka", born=("1975",)),
    person(7, "BREZHINSKI, Wladyslaw"),
    person(8, "FARROKHZADEGAN, Gholamreza", "FAROKHZADEGAN, Gholam Reza", born=("22 Mar 1949",)),
    person(9, "KIMUNG, Chol Su", born=("15 Apr 1955",)),
    person(10, "DJOUMANIYAZ, Oraz", "JUMANIYAZOV, Oraz"),
    person(11, "NUÑEZ-BALTAZAR, José María"),
    person(12, "ØSTERBRAATEN, Åse"),
    person(13, "SHEVLYAKOVA, Yekaterina Igorevna", born=("30 Jul 1980",)),
    person(14, "HADDOUCHE, Slimane Ould"),
    person(15, "TRAN-VUONG, Minh Quang"),
    entity(101, "NORTHWIND MERIDIAN SHIPPING LLC", "NMS SHIPPING"),
    entity(102, "OOO TEKHNOSFERA-INVEST", "TECHNOSPHERE INVEST LIMITED"),
    entity(103, "BANK OF ZAMRUDISTAN", "ZAMRUD BANK"),
    entity(104, "GRUPO AURELIANO CASTIGLIONE, S.A. DE C.V."),
    entity(105, "AL-MANSOURI BROTHERS EXCHANGE COMPANY"),
    entity(106, "KAVIR SEPEHR PETROCHEMICAL COMPANY"),
    entity(107, "QUORVEX"),
)

# Required matches: the entry, and spellings of its name.
PEOPLE: dict[str, dict[int, tuple[str, ...]]] = {
    "as listed": {
        1: ("Aleksandr Petrovich Zorbanov", "Alexander Zorbanoff"),
        2: ("Mohammed Hussein Al-Qassiri", "Abu Yusuf"),
        3: ("Dmitri Sergeyevich Temirovsky",),
        4: ("Yasir Khalid Abd al-Rahman", "Yasser al-Dhari"),
        5: ("Joaquin Ernesto Valderrueda Quintal",),
        6: ("Chukwuemeka Okwudiliche",),
        8: ("Gholamreza Farrokhzadegan", "GHOLAM REZA FAROKHZADEGAN"),
        9: ("Chol Su Kimung",),
        11: ("José María Nuñez-Baltazar", "Jose Maria Nunez Baltazar"),
        12: ("Åse Østerbraaten", "Ase Osterbraaten"),
        13: ("Yekaterina Igorevna Shevlyakova",),
    },
    "other order": {
        1: ("Zorbanov Aleksandr Petrovich", "Zorbanov, Aleksandr"),
        2: ("Al Qassiri Hussein Mohammed",),
        3: ("Temirovsky Dmitri",),
        5: ("Valderrueda Joaquin", "Quintal Valderrueda, Joaquin Ernesto"),
        9: ("Kimung Chol Su", "Su Chol Kimung"),
        15: ("Minh Quang Tran Vuong", "Quang Minh Tran-Vuong"),
    },
    "fewer names": {
        1: ("Aleksandr Zorbanov", "Petrovich Zorbanov"),
        2: ("Mohammed Al-Qassiri", "Hussein Qassiri"),
        3: ("Dmitri Temirovsky",),
        4: ("Yasir Abd al-Rahman",),
        5: ("Joaquin Valderrueda", "Ernesto Quintal"),
        13: ("Yekaterina Shevlyakova",),
        14: ("Slimane Haddouche",),
    },
    "more names": {
        6: ("Chukwuemeka Emmanuel Okwudiliche",),
        7: ("Wladyslaw Jan Brezhinski",),
        10: ("Oraz Berdi Jumaniyazov",),
    },
    "transliterations": {
        1: ("Alexandr Zorbanov", "Alexander Zorbanow", "Oleksandr Zorbanov"),
        2: (
            *("Muhammad Husayn al-Qasiri", "Mohamed Hossein Al Kassiri", "Mohamad Hussain Qassiry"),
            *("Muhammed Hussein El-Kasiri", "Abou Youssef", "Abu Yousuf"),
        ),
        3: ("Dmitry Temirovskiy", "Dmitriy Sergeevich Temirovski", "Dimitri Temirovsky"),
        4: ("Yasir Khalid Abdul Rahman", "Yaser Khaled Abdulrahman", "Yassir Abdelrahman Khalid"),
        7: ("Vladislav Brezhinsky", "Wladislaw Breschinski"),
        8: ("Gholamreza Farokhzadegan", "Ghulamreza Farrukhzadegan"),
        10: ("Oraz Dzhumaniyazov", "Uraz Jumaniazov"),
        13: ("Ekaterina Shevliakova", "Jekaterina Schewljakowa"),
        14: ("Sliman Ould Hadouche",),
    },
    "initials": {
        1: ("A. Zorbanov", "Aleksandr P. Zorbanov", "A. P. Zorbanov"),
        2: ("M. H. Al-Qassiri", "Mohammed H. Al-Qassiri"),
        3: ("D.S. Temirovsky",),
        5: ("J. Valderrueda Quintal",),
        6: ("C. Okwudiliche",),
    },
    "one letter": {
        1: ("Aleksandr Zorbanof", "Aleksandr Zobanov", "Aleksander Zorbanov", "Aleksadnr Zorbanov"),
        2: ("Mohammed Hussein Al-Qasssiri", "Mohammed Husein Al-Qassirr"),
        3: ("Dmitri Temirowsky", "Dmitri Temirovksy", "Dmitr Temirovsky"),
        5: ("Joaquin Valderueda", "Joaqin Valderrueda"),
        6: ("Chukwuemeka Okwudilich", "Chukwuemka Okwudiliche"),
        7: ("Wladyslaw Brezinski",),
        9: ("Chol Su Kimun", "Chol Su Kimugn"),
        13: ("Yekaterina Shevliakova",),
    },
}
BUSINESSES: dict[str, dict[int, tuple[str, ...]]] = {
    "as listed": {
        101: ("Northwind Meridian Shipping LLC", "NMS Shipping"),
        102: ("OOO Tekhnosfera-Invest", "Technosphere Invest Limited"),
        103: ("Bank of Zamrudistan", "Zamrud Bank"),
        104: ("Grupo Aureliano Castiglione, S.A. de C.V.",),
        107: ("Quorvex",),
    },
    "other legal form": {
        101: (
            "Northwind Meridian Shipping",
            "Northwind Meridian Shipping L.L.C.",
            "NMS Shipping Ltd",
        ),
        102: ("Tekhnosfera Invest JSC", "Technosphere Invest"),
        104: ("Grupo Aureliano Castiglione SA", "Aureliano Castiglione Grupo S.A."),
        105: ("Al Mansouri Brothers Exchange Co.", "Almansouri Brothers Exchange LLC"),
        107: ("Quorvex GmbH", "QUORVEX, Inc."),
    },
    "other spelling": {
        102: ("Technosfera Invest OOO", "Tekhnosphera-Invest"),
        103: ("Zamrudistan Bank", "Bank of Zamroudistan"),
        105: ("El-Mansuri Brothers Exchange",),
        106: ("Kavir Sepehr Petrochemical Co", "Kaveer Sepehr Petrochemicals"),
        107: ("Quorvexx",),
    },
    "owner's name": {1: ("Aleksandr Zorbanov Trading",), 7: ("Brezhinski Wladyslaw",)},
}

# Unlisted names: common names of many countries.
_GIVEN_TEXT = (
    "James Mary John Patricia Robert Linda Michael Elizabeth David Barbara Wei Li Fang Jing "
    "Hiroshi Yuki Haruto Sakura Ji-woo Min-jun Mohammed Fatima Ahmed Aisha Omar Layla Hassan "
    "Zainab Ali Maryam Carlos Maria Jose Ana Luis Carmen Juan Sofia Miguel Lucia Ivan Olga "
    "Dmitri Anna Sergei Natalia Aleksandr Elena Chidi Ngozi Emeka Amara Kwame Akosua Juma "
    "Wanjiru Thabo Nomsa Rajesh Priya Amit Sunita Arjun Lakshmi Imran Ayesha Nguyen Linh "
    "Budi Siti Somchai Malee Pierre Marie Hans Greta Lars Ingrid Giulia Marco Joao Beatriz "
    "Yusuf Elif Mehmet Zeynep Reza Parisa"
)
GIVEN = _GIVEN_TEXT.split()
_FAMILY_TEXT = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez "
    "Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson "
    "White Harris Sanchez Clark Ramirez Lewis Robinson Wang Zhang Chen Liu Tanaka Suzuki "
    "Watanabe Kim Park Choi Khan Hussain Ahmed Ibrahim Saleh Haddad Mansour Nasser Ivanov "
    "Petrov Sidorov Kuznetsova Okafor Adeyemi Mensah Otieno Kamau Dlamini Nkosi Sharma Patel "
    "Singh Gupta Reddy Iyer Nguyen Tran Pham Santoso Wijaya Dubois Moreau Schmidt Becker "
    "Johansson Nilsen Rossi Ferrari Silva Santos Yilmaz Demir Hosseini Karimi Kowalski Nowak "
    "Novak Horvath Popescu Papadopoulos Cohen"
)
FAMILY = _FAMILY_TEXT.split()
_ORDINARY_BUSINESSES_TEXT = (
    "Acme Trading Ltd|Blue Star Logistics LLC|Northern Light Shipping AS|Meridian Foods Inc|"
    "First National Bank of Springfield|Grupo Castillo S.A.|Golden Gate Exchange|"
    "Invest Capital LLP|Green Energy Petrochemical Research|Mansour and Sons Import Export|"
    "Technology Investments BV|Brothers Bakery|Sunrise Holdings|Harbour View Hotels|"
    "Delta Software GmbH|Omega Consulting|City Dental Practice|Quantum Vertex|"
    "Oak Tree Capital|Kafka Coffee Roasters|Sepia Studio Ltd|The Wind in the Willows Nursery|"
    "Bank Street Books|Meridian Partners LLC|Castle Invest"
)
ORDINARY_BUSINESSES = _ORDINARY_BUSINESSES_TEXT.split("|")

_SYLLABLES_TEXT = (
    "ba be bo dra du fa ga ge gor ha hi ja ka ke kor la le lim ma mi mo na ne nov pa pe ra "
    "ri ro sa se shi ta te ti tor va ve vi ya zi zo bel dan gar hol kov lan mar ner sen tan "
    "van wal zar"
)
_SYLLABLES = _SYLLABLES_TEXT.split()


def many(count: int, seed: int) -> Iterator[SanctionsEntry]:
    """Generate fictitious people, some with aliases: common given names, invented family names."""
    chance = random.Random(seed)  # noqa: S311  the same list each time
    for entry_id in range(1000, 1000 + count):
        names = [full_name(chance) for _ in range(chance.choice((1, 1, 2, 3, 4)))]
        yield person(entry_id, *names, born=(str(chance.randint(1940, 2000)),))


def full_name(chance: random.Random) -> str:
    """Generate `LAST, First` or `LAST, First Second`."""
    given_names = " ".join(chance.choice(GIVEN) for _ in range(chance.choice((1, 1, 2))))
    return f"{family_name(chance).upper()}, {given_names}"


def family_name(chance: random.Random) -> str:
    """Generate a name of two to four syllables."""
    return "".join(chance.choice(_SYLLABLES) for _ in range(chance.choice((2, 3, 3, 4))))


def ordinary(count: int, seed: int) -> Iterator[ScreeningSubject]:
    """Generate unlisted people with common names of the world."""
    chance = random.Random(seed)  # noqa: S311  as above
    for _ in range(count):
        given_names = " ".join(chance.choice(GIVEN) for _ in range(chance.choice((1, 1, 2))))
        yield ScreeningSubject(f"{given_names} {chance.choice(FAMILY)}", "individual")
