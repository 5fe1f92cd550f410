"""Invented files of the UN, EU and UK lists, and of PEP lists. No person in them exists."""

UN = """<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  dateGenerated="2026-11-20T23:00:03.428Z">
 <INDIVIDUALS>
  <INDIVIDUAL>
   <DATAID>700001</DATAID><VERSIONNUM>1</VERSIONNUM>
   <FIRST_NAME>ALEKSANDR</FIRST_NAME><SECOND_NAME>PETROVICH</SECOND_NAME>
   <THIRD_NAME>ZORBANOV</THIRD_NAME><FOURTH_NAME>na</FOURTH_NAME>
   <UN_LIST_TYPE>Nowhere</UN_LIST_TYPE><REFERENCE_NUMBER>NWi.001</REFERENCE_NUMBER>
   <NAME_ORIGINAL_SCRIPT>Александр Зорбанов</NAME_ORIGINAL_SCRIPT>
   <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Sasha Zorban</ALIAS_NAME></INDIVIDUAL_ALIAS>
   <INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
   <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1961-12-03</DATE>
   </INDIVIDUAL_DATE_OF_BIRTH>
   <INDIVIDUAL_DATE_OF_BIRTH><YEAR>1962</YEAR></INDIVIDUAL_DATE_OF_BIRTH>
   <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1958</FROM_YEAR>
    <TO_YEAR>1960</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>
  </INDIVIDUAL>
 </INDIVIDUALS>
 <ENTITIES>
  <ENTITY>
   <DATAID>700101</DATAID><FIRST_NAME>QUORVEX TRADING</FIRST_NAME>
   <UN_LIST_TYPE>Nowhere</UN_LIST_TYPE><REFERENCE_NUMBER>NWe.002</REFERENCE_NUMBER>
   <ENTITY_ALIAS><QUALITY>a.k.a.</QUALITY><ALIAS_NAME>Quorvex House</ALIAS_NAME></ENTITY_ALIAS>
  </ENTITY>
 </ENTITIES>
</CONSOLIDATED_LIST>
"""

EU = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" globalFileId="1"
  generationDate="2026-11-21T16:47:04.449+01:00">
 <sanctionEntity designationDetails="" euReferenceNumber="EU.1.11" logicalId="13">
  <regulation programme="NWH" numberTitle="2026/1 (OJ L1)" logicalId="5"/>
  <subjectType code="person" classificationCode="P"/>
  <nameAlias firstName="Aleksandr" middleName="Petrovich" lastName="ZORBANOV"
    wholeName="Aleksandr Petrovich ZORBANOV" strong="true" logicalId="1"/>
  <nameAlias firstName="" middleName="" lastName="" wholeName="Sasha Zorban" strong="false"/>
  <nameAlias firstName="Alexander" middleName="" lastName="Zorban" wholeName="Sasha the Elder"/>
  <birthdate circa="false" year="1961" birthdate="1961-12-03" yearRangeFrom="" yearRangeTo=""/>
  <birthdate circa="true" year="" yearRangeFrom="1958" yearRangeTo="1960"/>
  <birthdate year="1962"/>
 </sanctionEntity>
 <sanctionEntity euReferenceNumber="EU.2.22" logicalId="14">
  <regulation programme="NWH"/><regulation programme="TST"/>
  <subjectType code="enterprise" classificationCode="E"/>
  <nameAlias firstName="" middleName="" lastName="" wholeName="QUORVEX TRADING" strong="true"/>
 </sanctionEntity>
</export>
"""

UK = """<?xml version="1.0" encoding="utf-8"?>
<Designations>
 <DateGenerated>22/11/2026</DateGenerated>
 <Designation>
  <LastUpdated>01/10/2026</LastUpdated><DateDesignated>25/01/2026</DateDesignated>
  <UniqueID>NWH0001</UniqueID><OFSIGroupID>1</OFSIGroupID>
  <Names>
   <Name><Name6>Sasha Zorban</Name6><NameType>Alias</NameType></Name>
   <Name><Name1>ALEKSANDR</Name1><Name2>PETROVICH</Name2><Name6>ZORBANOV</Name6>
    <NameType>Primary Name</NameType></Name>
  </Names>
  <NonLatinNames><NonLatinName><NameNonLatinScript>Зорбанов</NameNonLatinScript></NonLatinName>
  </NonLatinNames>
  <RegimeName>The Nowhere (Sanctions) Regulations 2026</RegimeName>
  <IndividualEntityShip>Individual</IndividualEntityShip>
  <IndividualDetails><Individual><DOBs><DOB>03/12/1961</DOB><DOB>dd/mm/1962</DOB></DOBs>
  </Individual></IndividualDetails>
 </Designation>
 <Designation>
  <UniqueID>NWH0002</UniqueID>
  <Names><Name><Name1>Quorvex</Name1><Name6>Trading PJSC</Name6>
   <NameType>Primary Name</NameType></Name></Names>
  <RegimeName>The Nowhere (Sanctions) Regulations 2026</RegimeName>
  <IndividualEntityShip>Entity</IndividualEntityShip>
 </Designation>
 <Designation>
  <UniqueID>NWH0003</UniqueID>
  <Names><Name><Name6>MV NOWHERE</Name6><NameType>Primary Name</NameType></Name></Names>
  <RegimeName>The Nowhere (Sanctions) Regulations 2026</RegimeName>
  <IndividualEntityShip>Ship</IndividualEntityShip>
 </Designation>
</Designations>
"""

PEP_HEADER = (
    '"id","schema","name","aliases","birth_date","countries","addresses","identifiers",'
    '"sanctions","phones","emails","dataset","first_seen","last_seen","last_change"\n'
)


def pep_row(
    entry_id: str,
    name: str,
    *,
    aliases: str = "",
    born: str = "",
    countries: str = "nw",
    schema: str = "Person",
) -> str:
    """Return a row of the format; `aliases` is the whole cell."""
    cell = aliases.replace('"', '""')
    return (
        f'"{entry_id}","{schema}","{name}","{cell}","{born}","{countries}","1 Main St","","","",'
        '"","Nowhere PEPs","2026-01-01T00:00:00","2026-11-20T00:00:00","2026-11-01T00:00:00"\n'
    )


PEP = PEP_HEADER + (
    pep_row(
        "NK-a1",
        "Aleksandr Zorbanov",
        aliases='ALEKSANDR ZORBANOV;Zorbanov Aleksandr;"Zorbanov; the Elder";Зорбанов',
        born="1961-12-03;1962",
        countries="nw;un",
    )
    + pep_row("Q42", "Ministry of Nowhere", schema="PublicBody")
    + pep_row("Q43", "Иван Зорбанов")
)
